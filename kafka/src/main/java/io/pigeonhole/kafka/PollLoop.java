package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.lane.Lanes;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that uses the consumer. It polls always, also while it takes nothing because the lanes are full or the
 * database is away: then the partitions are paused, and the member keeps its place in the group.
 */
final class PollLoop implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(PollLoop.class);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration POLL_WHILE_FULL = Duration.ofMillis(10);
    private static final Duration PAUSE_AFTER_ERROR = Duration.ofMillis(500);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);
    private static final double RESUME_BELOW = 0.5;
    private static final List<Class<? extends KafkaException>> FATAL = List.of(
            AuthenticationException.class,
            AuthorizationException.class,
            ConfigException.class,
            FencedInstanceIdException.class,
            InconsistentGroupProtocolException.class,
            InvalidGroupIdException.class,
            InvalidOffsetException.class,
            InvalidTopicException.class,
            UnsupportedVersionException.class);

    private final Settings settings;
    private final Consumer<byte[], byte[]> consumer;
    private final @Nullable TopicIdentities identities;
    private final @Nullable LogOwner owner;
    private final @Nullable WatermarkCheck check;
    private final Lanes lanes;
    private final Beginnings beginnings;
    private final Assignments assignments;
    private final CountDownLatch closing = new CountDownLatch(1);
    private long lastCommit = System.nanoTime();
    private boolean full;
    private volatile boolean refused;
    private volatile @Nullable Throwable failure;

    /** What the builder was told. */
    record Settings(
            String name,
            List<String> topics,
            RecordMapper mapper,
            int window,
            long inWork,
            Duration commitInterval,
            Duration revocationTimeout,
            Duration closeTimeout) {}

    PollLoop(
            Settings settings,
            Consumer<byte[], byte[]> consumer,
            @Nullable TopicIdentities identities,
            @Nullable LogOwner owner,
            @Nullable WatermarkCheck check,
            Lanes lanes,
            Inbox<?> inbox) {
        this.settings = settings;
        this.consumer = consumer;
        this.identities = identities;
        this.owner = owner;
        this.check = check;
        this.lanes = lanes;
        this.beginnings = new Beginnings(inbox, settings.inWork(), System::nanoTime);
        this.assignments = new Assignments(settings, consumer, lanes, identities, owner, check, beginnings);
    }

    /** Why the loop ended by itself, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Whether it waits for the database before it can take anything. */
    boolean isWaiting() {
        return refused || (owner != null && owner.isWaiting());
    }

    /** Makes {@link #run} finish what is in work, commit and return. */
    void close() {
        closing.countDown();
    }

    /** How long {@link #run} takes to return after {@link #close} at most, whatever the broker and the handlers do. */
    Duration longestClose() {
        return POLL.plus(PAUSE_AFTER_ERROR)
                .plus(settings.revocationTimeout())
                .plus(settings.closeTimeout())
                .plus(CLOSE_PATIENCE.multipliedBy(4));
    }

    @Override
    public void run() {
        try {
            Uninterrupted.call(() -> consumer.subscribe(settings.topics(), assignments));
            while (closing.getCount() > 0) {
                // Nobody ends this thread by an interrupt; left set, one would make the consumer refuse everything.
                Uninterrupted.clear();
                assignments.checkOwners();
                acquire();
                assignments.regulate(heldBack());
                handOver(poll());
                commit();
            }
        } catch (Throwable e) {
            failure = e;
            log.error(
                    "{}: gives up; it takes no more messages until it is started anew",
                    settings.name(),
                    FailureText.readable(e));
        } finally {
            end();
        }
    }

    private void acquire() {
        try {
            assignments.acquire();
        } catch (InterruptException e) {
            Uninterrupted.clear();
            log.debug("{}: interrupted while acquiring partitions, going on", settings.name(), e);
        }
    }

    private Predicate<Assignment> heldBack() {
        full = lanes.load() >= (full ? RESUME_BELOW : 1);
        boolean all = full || lanes.isWaiting();
        refused = assignments.areRefused();
        return assignment ->
                all || isFarAhead(assignment) || !isIdentified(assignment) || beginnings.holdsBack(assignment);
    }

    /** One unfinished message must not let the records behind it, to be delivered again after a crash, grow for ever. */
    private boolean isFarAhead(Assignment assignment) {
        int limit = assignment.isPaused() ? settings.window() / 2 : settings.window();
        return assignment.tracker().size() >= Math.max(1, limit);
    }

    private boolean isIdentified(Assignment assignment) {
        return identities == null || identities.prefixOf(assignment.partition().topic()) != null;
    }

    private ConsumerRecords<byte[], byte[]> poll() {
        try {
            return consumer.poll(full ? POLL_WHILE_FULL : POLL);
        } catch (InterruptException e) {
            // It comes before records are taken from the consumer, so that none is lost.
            Uninterrupted.clear();
            log.debug("{}: interrupted while polling, going on", settings.name(), e);
            return ConsumerRecords.empty();
        } catch (WakeupException e) {
            // Not ours: nothing here needs it. Whoever made the consumer may use it.
            return ConsumerRecords.empty();
        } catch (KafkaException e) {
            if (FATAL.stream().anyMatch(fatal -> fatal.isInstance(e))) {
                throw e;
            }
            log.warn("{}: polling failed, going on", settings.name(), e);
            pauseAfterError();
            return ConsumerRecords.empty();
        }
    }

    private void pauseAfterError() {
        try {
            boolean closed = closing.await(PAUSE_AFTER_ERROR.toMillis(), TimeUnit.MILLISECONDS);
            log.debug("{}: going on{}", settings.name(), closed ? " to close" : "");
        } catch (InterruptedException e) {
            log.debug("{}: interrupted, going on", settings.name(), e);
        }
    }

    private void handOver(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition partition : records.partitions()) {
            long first = records.records(partition).get(0).offset();
            if (!assignments.get(partition).tracker().follows(first)) {
                log.warn(
                        "{}: {} went back to offset {}: it was truncated, or made anew",
                        settings.name(),
                        partition,
                        first);
                if (identities != null) {
                    identities.forget(partition.topic());
                }
            }
        }
        Set<TopicPartition> begunAnew = new HashSet<>();
        for (TopicPartition partition : records.partitions()) {
            if (!handOver(partition, records)) {
                begunAnew.add(partition);
            }
        }
        records.nextOffsets().forEach((partition, end) -> {
            if (!begunAnew.contains(partition)) {
                assignments.get(partition).tracker().polledTo(end);
            }
        });
    }

    /** False where the records could not be taken and will be polled again. */
    private boolean handOver(TopicPartition partition, ConsumerRecords<byte[], byte[]> records) {
        List<ConsumerRecord<byte[], byte[]>> polled = records.records(partition);
        ConsumerRecord<byte[], byte[]> first = polled.get(0);
        OffsetAndMetadata from = new OffsetAndMetadata(first.offset(), first.leaderEpoch(), "");
        Assignment assignment = assignments.get(partition);
        String placePrefix = identities == null ? null : identities.prefixOf(partition.topic());
        boolean identified = identities == null || placePrefix != null;
        if (!assignment.tracker().follows(first.offset())) {
            assignments.restart(partition, from);
            return false;
        }
        if (!identified) {
            assignments.readAgain(partition, from);
            return false;
        }
        Assignment.Beginning beginning = beginnings.of(assignment);
        if (beginning == null) {
            assignments.readAgain(partition, from);
            return false;
        }
        String ofIds = owner == null ? placePrefix : null;
        for (ConsumerRecord<byte[], byte[]> record : polled) {
            assignment.submit(
                    record,
                    settings.mapper()
                            .map(record, ofIds, beginning.starts(), assignment.owner(), assignment.expectedPosition()));
        }
        return true;
    }

    private void commit() {
        if (System.nanoTime() - lastCommit >= settings.commitInterval().toNanos()) {
            lastCommit = System.nanoTime();
            assignments.commitAsync();
            assignments.noteSurvived();
        }
    }

    private void end() {
        log.debug("{}: closing", settings.name());
        quietly(() -> assignments.giveUpAll(settings.closeTimeout()));
        quietly(() -> consumer.close(CloseOptions.timeout(CLOSE_PATIENCE)));
        quietly(() -> lanes.close(CLOSE_PATIENCE));
        if (check != null) {
            quietly(check::close);
        }
        if (identities != null) {
            quietly(identities::close);
        }
    }

    private void quietly(Runnable step) {
        // An interrupt would make the consumer refuse the commit and the farewell.
        Uninterrupted.clear();
        try {
            step.run();
        } catch (Throwable e) {
            log.debug(
                    "{}: did not close well; what was not acknowledged will be delivered again",
                    settings.name(),
                    FailureText.readable(e));
        }
    }
}
