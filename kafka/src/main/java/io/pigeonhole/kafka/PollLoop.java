package io.pigeonhole.kafka;

import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.inbox.SourceInbox;
import io.pigeonhole.kafka.TopicIdentities.Unidentified;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that uses the consumer. It polls always, also while it takes nothing because the delivery threads are full or the
 * database is away: then the partitions are paused, and the member keeps its place in the group.
 */
final class PollLoop implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(PollLoop.class);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration POLL_WHILE_FULL = Duration.ofMillis(10);
    private static final Duration PAUSE_AFTER_ERROR = Duration.ofMillis(500);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    /** Whoever has not polled for longer may have stood still, and what was true before need not be. */
    private static final Duration LONGEST_GAP = Duration.ofMillis(500);

    /** As long as so many polls in a row fail, the consumer may recover; then another one is better. */
    private static final int MOST_FAILED_POLLS = 20;

    private final Settings settings;
    private final Consumer<byte[], byte[]> consumer;
    private final @Nullable TopicIdentities identities;
    private final @Nullable LogOwner owner;
    private final @Nullable WatermarkCheck check;
    private final DeliveryThreads deliveryThreads;
    private final Beginnings beginnings;
    private final Assignments assignments;
    private final PollFailures pollFailures;
    private final UnreadablePartitions unreadable;
    private final MissingTopics missing;
    private final BrokerSilence silence;
    private final BrokerConnection connection;
    private final FullWindows fullWindows;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final GoodPolls goodPolls;
    private long lastCommit = System.nanoTime();
    private int failedPolls;
    private boolean full;
    private boolean lost;
    private volatile boolean refused;
    private volatile Unidentified unidentified = Unidentified.NONE;
    private volatile boolean running;
    private volatile long polledAt;
    private volatile @Nullable Throwable failure;

    /** The settings of the builder. */
    record Settings(
            String name,
            List<String> topics,
            RecordMapper mapper,
            int window,
            long inWork,
            Duration commitInterval,
            Duration revocationTimeout,
            Duration closeTimeout,
            LongSupplier clock) {}

    PollLoop(
            Settings settings,
            Consumer<byte[], byte[]> consumer,
            @Nullable TopicIdentities identities,
            @Nullable LogOwner owner,
            @Nullable WatermarkCheck check,
            @Nullable AddedPartitions added,
            DeliveryThreads deliveryThreads,
            SourceInbox inbox,
            PollFailures pollFailures,
            UnreadablePartitions unreadable,
            MissingTopics missing,
            BrokerSilence silence) {
        this.silence = silence;
        this.pollFailures = pollFailures;
        this.unreadable = unreadable;
        this.missing = missing;
        this.connection = new BrokerConnection(consumer, System::nanoTime);
        this.settings = settings;
        this.fullWindows = new FullWindows(settings.window(), settings.clock());
        this.goodPolls = new GoodPolls(settings.clock());
        this.consumer = consumer;
        this.identities = identities;
        this.owner = owner;
        this.check = check;
        this.deliveryThreads = deliveryThreads;
        this.beginnings = new Beginnings(inbox, settings.inWork(), System::nanoTime);
        this.assignments = new Assignments(
                settings, consumer, deliveryThreads, identities, owner, check, added, beginnings, System::nanoTime);
    }

    /** Why the loop ended by itself, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Why messages wait for handlers that hang, until there is a new process; or null. */
    @Nullable
    Throwable hangs() {
        return deliveryThreads.failure();
    }

    /** Whether it waits for the database before it can take anything, or goes on with what it has taken. */
    boolean isWaiting() {
        return deliveryThreads.isWaiting() || refused || (owner != null && owner.isWaiting());
    }

    /** Why it {@linkplain #isWaiting waits}, or finishes nothing; null where it goes on. */
    @Nullable
    String standstill() {
        String problem = deliveryThreads.problem();
        if (problem == null && refused) {
            problem = beginnings.problem();
        }
        return problem == null && owner != null && owner.isWaiting() ? owner.problem() : problem;
    }

    /** The topics of which nothing is read, because their ids are not known. */
    Unidentified unidentified() {
        return unidentified;
    }

    /** The partitions that stand still, because one record is not finished. */
    FullWindows fullWindows() {
        return fullWindows;
    }

    /** That commits of offsets have failed for long; null where they have not. */
    @Nullable
    String commitProblem() {
        return assignments.commitFailures().problem();
    }

    /** Why it is not known where some partitions begin; null where it is. */
    @Nullable
    String undecidedProblem() {
        return assignments.undecidedProblem();
    }

    /** Whether there has been no connection to any broker for some seconds. */
    boolean isDisconnected() {
        return connection.isLost();
    }

    /** For how long the consumer was not polled, though it is to be: its thread waits for something. */
    Duration sincePoll() {
        // In this order: whoever begins notes the time before he says that he runs.
        if (!running) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(settings.clock().getAsLong() - polledAt);
    }

    /** Whether the group has let the member in once; before that nothing fails, and nothing comes. */
    boolean hasJoined() {
        return goodPolls.hasJoined();
    }

    /** Whether Kafka has accepted the member: it has given it records, or refused nothing for a while. */
    boolean hasWorked() {
        return goodPolls.hasWorked();
    }

    /** Whether what ended earlier loops is over. */
    boolean hasRecovered() {
        return goodPolls.hasRecovered();
    }

    /** Makes {@link #run} finish what is in work, commit and return. */
    void close() {
        closing.countDown();
    }

    /** Closes what it has, where nobody can {@link #run} it. */
    void abandon() {
        boolean interrupted = Thread.interrupted();
        end();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** How long {@link #run} takes to return after {@link #close} at most, whatever the broker and the handlers do. */
    Duration longestClose() {
        return POLL.plus(PAUSE_AFTER_ERROR)
                .plus(settings.revocationTimeout())
                .plus(settings.closeTimeout())
                .plus(CLOSE_TIMEOUT.multipliedBy(4));
    }

    @Override
    public void run() {
        try {
            polledAt = settings.clock().getAsLong();
            running = true;
            unreadable.begin();
            Uninterrupted.call(() -> consumer.subscribe(settings.topics(), assignments));
            while (closing.getCount() > 0) {
                // Nobody ends this thread by an interrupt; left set, one would make the consumer refuse everything.
                Uninterrupted.clear();
                assignments.checkOwners();
                lookForTopicsMadeAnew();
                acquire();
                assignments.regulate(heldBack());
                ConsumerRecords<byte[], byte[]> records = poll();
                notePoll();
                beginnings.polled();
                assignments.noteBeginnings(records, unreadable::holdsBack);
                assignments.commitFailures().polled();
                handOver(records);
                if (!records.isEmpty()) {
                    goodPolls.handedOver();
                }
                commit();
            }
        } catch (Throwable e) {
            // Whoever runs it decides what becomes of the source.
            failure = e;
        } finally {
            running = false;
            end();
        }
    }

    /** Kafka reads on at its offset where a topic was deleted and made anew while it did not look. */
    private void lookForTopicsMadeAnew() {
        if (identities == null) {
            return;
        }
        boolean wasLost = lost;
        lost = connection.isLost();
        if (wasLost && !lost) {
            identities.forgetAll(Set.of());
        }
        identities.askAgain();
        assignments.leaveTopicsMadeAnew();
    }

    /** Behind a gap nothing is taken before it is known whether the topics are still the same. */
    private void notePoll() {
        long now = settings.clock().getAsLong();
        if (identities != null && now - polledAt > LONGEST_GAP.toNanos()) {
            identities.forgetAll(assignments.partitions());
        }
        // Without the wait for their ids, which is no gap: whoever waits for long would wait for ever.
        polledAt = settings.clock().getAsLong();
    }

    private void acquire() {
        try {
            assignments.acquire(unreadable::holdsBack);
        } catch (InvalidOffsetException e) {
            holdBack(e);
        } catch (InterruptException e) {
            Uninterrupted.clear();
            log.debug("{}: interrupted while acquiring partitions, going on", settings.name(), e);
        }
    }

    private Predicate<Assignment> heldBack() {
        full = deliveryThreads.isFull();
        boolean all = full || lost || deliveryThreads.isWaiting();
        // One unfinished message must not let the records behind it, to be delivered again after a crash, grow for
        // ever.
        assignments.noteWindow(settings.window());
        fullWindows.are(deliveryThreads.isWaiting() ? Map.of() : withFullWindow());
        unidentified = identities == null ? Unidentified.NONE : identities.unidentified(assignments.partitions());
        Predicate<Assignment> heldBack = assignment -> all
                || assignment.isFarAhead()
                || !assignments.isIdentified(assignment)
                || unreadable.holdsBack(assignment.partition());
        List<Assignment> askedFor = assignments.which(Assignment::isRefused).stream()
                .filter(heldBack.negate())
                .toList();
        beginnings.tryAgain(askedFor);
        // What else holds back the others is known, so that nobody asks the database for them.
        refused = askedFor.stream().anyMatch(Assignment::isRefused);
        return heldBack.or(Assignment::isRefused);
    }

    private Map<TopicPartition, Long> withFullWindow() {
        return assignments.which(Assignment::isFarAhead).stream()
                .collect(Collectors.toMap(
                        Assignment::partition, each -> each.tracker().firstUnfinished()));
    }

    private ConsumerRecords<byte[], byte[]> poll() {
        connection.look();
        silence.look(consumer);
        missing.look();
        try {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(full ? POLL_WHILE_FULL : POLL);
            polled(records);
            return records;
        } catch (InterruptException e) {
            // It comes before records are taken from the consumer, so that none is lost.
            Uninterrupted.clear();
            log.debug("{}: interrupted while polling, going on", settings.name(), e);
        } catch (WakeupException e) {
            // Not ours: nothing here needs it. Whoever made the consumer may use it.
            log.debug("{}: woken up while polling, going on", settings.name(), e);
        } catch (KafkaException e) {
            failed(e);
        }
        return ConsumerRecords.empty();
    }

    /** A partition that cannot be read is held back from now on: another consumer would meet it again. */
    private void failed(KafkaException e) {
        if (PollErrors.endsConsumer(e)) {
            throw e;
        }
        if (e instanceof InvalidOffsetException withoutOffset && holdBack(withoutOffset)) {
            return;
        }
        if (unreadable.failed(e, assignments.partitions())) {
            return;
        }
        if (++failedPolls > MOST_FAILED_POLLS) {
            throw e;
        }
        goodPolls.failed();
        pollFailures.is(e, "polling failed, it is tried again");
        pauseAfterError();
    }

    /** False where none of the partitions is this member's any more. */
    private boolean holdBack(InvalidOffsetException e) {
        Set<TopicPartition> concerned = unreadable.withoutOffset(e, assignments.partitions());
        concerned.forEach(assignments::setAnyPosition);
        return !concerned.isEmpty();
    }

    private void polled(ConsumerRecords<byte[], byte[]> records) {
        failedPolls = 0;
        unreadable.read(records.partitions(), assignments.partitions());
        if (unreadable.isTime()) {
            throw new IllegalStateException("what could not be read is to be fetched once more");
        }
        if (missing.areAll()) {
            goodPolls.withoutTopics();
        }
        if (goodPolls.polled(!records.isEmpty(), !assignments.partitions().isEmpty(), isMember())) {
            pollFailures.isOver();
        }
    }

    /** A consumer that waits for a coordinator, or for the others of its group, polls as quietly as a standby. */
    private boolean isMember() {
        return !isDisconnected() && consumer.groupMetadata().generationId() >= 0;
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
        if (!assignment.tracker().follows(first.offset())) {
            assignments.restart(partition, from);
            return false;
        }
        if (!assignments.isIdentified(assignment)) {
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
        if (!lost && System.nanoTime() - lastCommit >= settings.commitInterval().toNanos()) {
            lastCommit = System.nanoTime();
            assignments.commitAsync();
            assignments.noteSurvived();
        }
    }

    private void end() {
        log.debug("{}: closing", settings.name());
        quietly(() -> assignments.giveUpAll(settings.closeTimeout()));
        quietly(() -> consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT)));
        quietly(() -> deliveryThreads.close(CLOSE_TIMEOUT));
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
