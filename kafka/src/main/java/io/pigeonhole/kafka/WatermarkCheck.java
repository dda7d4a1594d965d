package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.inbox.SourceInbox;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.Watermark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Finds partitions that this member has acquired and that the database knows otherwise: a member that was stopped between its
 * assignment and its acquisition has taken them, or the database has lost commits. Without it their messages would be busy for
 * ever. Partitions that move need no question, because each commit proves them.
 *
 * <p>Used by the poll thread, which it never keeps waiting: a thread of its own asks.
 */
final class WatermarkCheck implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WatermarkCheck.class);
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final int MANY = 3;

    private final String name;
    private final SourceInbox inbox;
    private final ExecutorService thread;
    private final Map<TopicPartition, Taken> taken = new HashMap<>();
    private long nextQuestion = System.nanoTime();
    private @Nullable Question asked;

    /** How often a partition had to be acquired anew within a short time. */
    private record Taken(int times, long at) {}

    /** What this member knew of a partition when the database was asked. */
    private record Known(Assignment assignment, Watermark owner, long accepted) {}

    private record Question(Map<LogPartition, Known> known, CompletableFuture<List<Watermark>> answer) {}

    /**
     * A partition that is to be acquired anew.
     *
     * @param assignment the one that the database was asked about
     * @param position an offset before which all is accepted
     * @param why what the database says
     */
    record Lost(Assignment assignment, long position, String why) {}

    WatermarkCheck(String name, SourceInbox inbox) {
        this.name = name;
        this.inbox = inbox;
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread asking = new Thread(task, name + "-watermarks");
            asking.setDaemon(true);
            return asking;
        });
    }

    /** Those that the last answer says are lost; asks again when it is time for it. */
    List<Lost> lost(Collection<Assignment> assignments) {
        Question question = asked;
        if (question != null) {
            if (!question.answer().isDone()) {
                return List.of();
            }
            asked = null;
            return compare(question);
        }
        if (System.nanoTime() - nextQuestion >= 0) {
            nextQuestion = System.nanoTime() + INTERVAL.toNanos();
            ask(assignments);
        }
        return List.of();
    }

    private void ask(Collection<Assignment> assignments) {
        Map<LogPartition, Known> known = new HashMap<>();
        for (Assignment assignment : assignments) {
            Watermark owner = assignment.owner();
            if (owner != null && !assignment.hasMoved()) {
                known.put(owner.partition(), new Known(assignment, owner, assignment.acceptedPosition()));
            }
        }
        if (!known.isEmpty()) {
            asked = new Question(
                    known, CompletableFuture.supplyAsync(() -> inbox.watermarks(List.copyOf(known.keySet())), thread));
        }
    }

    private List<Lost> compare(Question question) {
        Map<LogPartition, Watermark> found = new HashMap<>();
        try {
            question.answer().join().forEach(watermark -> found.put(watermark.partition(), watermark));
        } catch (CompletionException | CancellationException e) {
            boolean expected = e.getCause() instanceof PigeonholeException;
            log.atLevel(expected ? Level.DEBUG : Level.WARN)
                    .setCause(e)
                    .log("{}: the database does not return the watermarks now, asking again", name);
            return List.of();
        }
        List<Lost> lost = new ArrayList<>();
        question.known().forEach((partition, known) -> {
            Watermark now = found.get(partition);
            String why = why(known, now);
            if (why != null && isTime(known.assignment().partition())) {
                // More may have been accepted meanwhile. Where somebody took the position away, the offset of the group
                // stays where this member brought it.
                long accepted = known.assignment().acceptedPosition();
                long position = now == null || !now.hasPosition() ? accepted : Math.min(now.position(), accepted);
                lost.add(new Lost(known.assignment(), position, why));
            }
        });
        return lost;
    }

    private static @Nullable String why(Known known, @Nullable Watermark now) {
        if (now == null) {
            return "the database does not know its watermark any more";
        }
        if (now.assignment() != known.owner().assignment()
                || !now.log().equals(known.owner().log())) {
            return "it was taken away: " + now + " instead of " + known.owner();
        }
        if (now.position() < known.accepted()) {
            return "its watermark went back from " + known.accepted() + " to " + now.position()
                    + ": the database has lost commits, which are read again from Kafka";
        }
        return null;
    }

    /** Two who both believe to be right leave each other some time, and more and more of it. */
    private boolean isTime(TopicPartition partition) {
        Taken before = taken.get(partition);
        if (before == null) {
            return true;
        }
        long pause = Math.min(LONGEST_PAUSE.toNanos(), INTERVAL.toNanos() << Math.min(10, before.times() - 1));
        return System.nanoTime() - before.at() >= pause;
    }

    /** Notes that a partition is acquired anew; answers what to log about it. */
    String acquiredAnew(Lost lost) {
        TopicPartition partition = lost.assignment().partition();
        Taken before = taken.get(partition);
        long now = System.nanoTime();
        boolean soon = before != null && now - before.at() < SOON.toNanos() + LONGEST_PAUSE.toNanos();
        int times = soon && before != null ? before.times() + 1 : 1;
        taken.put(partition, new Taken(times, now));
        return times < MANY
                ? lost.why()
                : lost.why() + ". This is the " + times
                        + "th time in a row: do two consumer groups read for the consumer '" + inbox.consumer()
                        + "'? Give their inboxes different names";
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
