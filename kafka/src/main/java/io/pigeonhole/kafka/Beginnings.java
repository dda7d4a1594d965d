package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.inbox.SourceInbox;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.StoreRefusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts how many times in a row a partition was begun and neither survived nor left in good order. Kafka does not count
 * deliveries; but processes that crash again and again at a record begin again and again before it, a little further each time
 * where records before it get finished. A rebalance, or a source that is closed, is no such crash, however slow its handlers are.
 *
 * <p>A beginning is survived when all is finished that may have been in work in a process that crashed: at the end of the log, or
 * behind as many records as may be in work at once. What an earlier process finished before it crashed does not count among them,
 * and neither do gaps in the offsets. Used by the poll thread.
 */
final class Beginnings {
    private static final Logger log = LoggerFactory.getLogger(Beginnings.class);

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration PAUSE = Duration.ofMillis(300);
    /** How long questions may have taken between two polls before the next one waits until the poll thread has polled. */
    private static final Duration MOST_BETWEEN_POLLS = Duration.ofMillis(300);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private static final Set<ErrorClass> AWAY = EnumSet.of(ErrorClass.UNAVAILABLE, ErrorClass.RETRY_NOW);
    private static final String BEGUN = "begun";

    private final SourceInbox inbox;
    private final long inWork;
    private final LongSupplier clock;
    /** Distinguishes the beginnings of this member from those of others. */
    private final String member = UUID.randomUUID().toString();

    private long nextTry;
    private long nextNote;
    private long spent;
    private volatile @Nullable String problem;

    /** The second: how many records may be in work at once, so that any of them may have ended the process. */
    Beginnings(SourceInbox inbox, long inWork, LongSupplier clock) {
        this.inbox = inbox;
        this.inWork = inWork;
        this.clock = clock;
        this.nextTry = clock.getAsLong();
        this.nextNote = nextTry;
    }

    /**
     * The beginning of the assignment; at its first record, that is noted. Null while the database is away, or so slow that the
     * thread has to poll first: the record is to be read again later. After a failure all partitions wait as long as it took,
     * because it may cost the poll thread time.
     */
    Assignment.@Nullable Beginning of(Assignment assignment) {
        if (assignment.beginning() == null) {
            assignment.beginning(mayAsk() ? begin(assignment.partition()) : null);
            assignment.refused(assignment.beginning() == null && !isTime());
        }
        return assignment.beginning();
    }

    /**
     * Asks again for assignments whose first records were refused, before these are fetched once more: a pause may be long, and each
     * try would fetch them in vain.
     */
    void tryAgain(Collection<Assignment> refused) {
        List<Assignment> turns = new ArrayList<>(refused);
        // So that each has its turn, also where one is always refused, because somebody has locked its row.
        Collections.shuffle(turns);
        for (Assignment assignment : turns) {
            if (mayAsk()) {
                of(assignment);
            }
        }
    }

    /** The poll thread has polled since it asked the database last. */
    void polled() {
        spent = 0;
    }

    private boolean mayAsk() {
        return isTime() && spent < MOST_BETWEEN_POLLS.toNanos();
    }

    /** Whether the last failure is long enough ago. */
    private boolean isTime() {
        return clock.getAsLong() - nextTry >= 0;
    }

    /** Why a beginning could not be counted, at the last failure; others than the poll thread may ask. */
    @Nullable
    String problem() {
        return problem;
    }

    private Assignment.@Nullable Beginning begin(TopicPartition partition) {
        long begun = clock.getAsLong();
        try {
            int starts = inbox.started(start(partition));
            spent += clock.getAsLong() - begun;
            return new Assignment.Beginning(starts);
        } catch (PigeonholeException e) {
            log.debug("'{}': the beginning of {} could not be counted", inbox.consumer(), partition, e);
            pauseAfter(begun);
            problem = StoreRefusal.describe(e);
            return isAway(e) ? null : new Assignment.Beginning(0);
        }
    }

    /** Where a failure took long, the next question has to wait as long, within bounds: the poll thread has other things to do. */
    private void pauseAfter(long begun) {
        long now = clock.getAsLong();
        nextTry = now + Math.max(PAUSE.toNanos(), Math.min(LONGEST_PAUSE.toNanos(), now - begun));
    }

    private static boolean isAway(PigeonholeException failure) {
        return failure instanceof RetryableException
                || (failure instanceof StoreException refused && AWAY.contains(refused.errorClass()));
    }

    /**
     * Notes what is survived: nobody who died had it in work when he did. Where another member has begun a partition since, only
     * the beginning of this one is taken back: it may be late, and the partition the other one's. Nobody waits for it: after a
     * failure it is tried again when as much time has passed as that took, without a bound.
     *
     * @param isAtEnd whether an assignment has read its log to the end
     */
    void survived(Collection<Assignment> assignments, Predicate<Assignment> isAtEnd) {
        for (Assignment assignment : assignments) {
            OffsetTracker tracker = assignment.tracker();
            if (isCounted(assignment)
                    && mayAsk()
                    && clock.getAsLong() - nextNote >= 0
                    && (tracker.finishedNew() >= inWork || (tracker.size() == 0 && isAtEnd.test(assignment)))) {
                survived(assignment);
            }
        }
    }

    private void survived(Assignment assignment) {
        long begun = clock.getAsLong();
        try {
            inbox.survived(start(assignment.partition()));
            assignment.beginning(new Assignment.Beginning(0));
            spent += clock.getAsLong() - begun;
        } catch (PigeonholeException e) {
            pauseAfter(begun);
            long now = clock.getAsLong();
            nextNote = now + Math.max(PAUSE.toNanos(), now - begun);
            log.debug("'{}': that {} was survived could not be noted", inbox.consumer(), assignment.partition(), e);
        }
    }

    /**
     * This member leaves partitions, and is alive. Waits for the database only for a moment: the group does not wait longer,
     * and what is not noted makes others slower, not wrong.
     */
    void end(List<Assignment> left) {
        List<Assignment> begun = left.stream().filter(Beginnings::isCounted).toList();
        if (begun.isEmpty()) {
            return;
        }
        Thread noting = new Thread(() -> begun.forEach(this::end), "pigeonhole-beginnings");
        noting.setDaemon(true);
        noting.start();
        Uninterrupted.clear();
        try {
            noting.join(TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            log.debug("'{}': interrupted, not waiting until ends are noted", inbox.consumer(), e);
        }
    }

    private static boolean isCounted(Assignment assignment) {
        Assignment.Beginning beginning = assignment.beginning();
        return beginning != null && beginning.starts() > 0;
    }

    private void end(Assignment assignment) {
        try {
            inbox.ended(start(assignment.partition()));
        } catch (PigeonholeException e) {
            log.debug(
                    "'{}': that {} was left in good order could not be noted",
                    inbox.consumer(),
                    assignment.partition(),
                    e);
        }
    }

    private Start start(TopicPartition partition) {
        return new Start("kafka " + partition, BEGUN, member);
    }
}
