package io.pigeonhole.kafka;

import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions that this member has now, their commits, and what happens when they come and go. Used by the poll thread,
 * on which Kafka calls the listener, too.
 *
 * <p>But for where a partition began, no commit of offsets is needed for correctness: what is not committed is delivered again and
 * settles as a duplicate. A commit that fails is therefore only worth a line for debugging, unless all of them do for long.
 */
final class Assignments implements ConsumerRebalanceListener {
    private static final Logger log = LoggerFactory.getLogger(Assignments.class);
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LONGEST_TURN = Duration.ofSeconds(2);
    private static final long UNKNOWN = -1;
    /** No record is there, so that Kafka looks for another position. */
    private static final long BEHIND_EVERYTHING = Long.MAX_VALUE;

    private final String name;
    private final Consumer<byte[], byte[]> consumer;
    private final DeliveryThreads deliveryThreads;
    private final Duration revocationTimeout;
    private final @Nullable TopicIdentities identities;
    private final @Nullable LogOwner owner;
    private final @Nullable WatermarkCheck check;
    private final @Nullable AddedPartitions added;
    private final @Nullable LatestReset latest;
    private final Beginnings beginnings;
    private final LongSupplier clock;
    private final CommitFailures commitFailures;
    private final Map<TopicPartition, Assignment> current = new HashMap<>();
    private Predicate<Assignment> isHeldBack = assignment -> false;
    private boolean commitUnderWay;

    Assignments(
            PollLoop.Settings settings,
            Consumer<byte[], byte[]> consumer,
            DeliveryThreads deliveryThreads,
            @Nullable TopicIdentities identities,
            @Nullable LogOwner owner,
            @Nullable WatermarkCheck check,
            @Nullable AddedPartitions added,
            Beginnings beginnings,
            LongSupplier clock) {
        this.clock = clock;
        this.commitFailures = new CommitFailures(settings.name(), settings.clock());
        this.name = settings.name();
        this.consumer = consumer;
        this.deliveryThreads = deliveryThreads;
        this.revocationTimeout = settings.revocationTimeout();
        this.identities = identities;
        this.owner = owner;
        this.check = check;
        this.added = added;
        this.latest = added == null || owner != null ? null : new LatestReset(name, consumer, added, clock);
        this.beginnings = beginnings;
    }

    /** The commits that have failed in a row. */
    CommitFailures commitFailures() {
        return commitFailures;
    }

    /** Why it is not known where some partitions begin; null where it is. */
    @Nullable
    String undecidedProblem() {
        return latest == null ? null : latest.problem();
    }

    /** Acquires the partitions that need it and are not held back, or decides where they begin, as far as is possible now. */
    void acquire(Predicate<TopicPartition> heldBack) {
        if (latest != null) {
            latest.decide(which(Assignment::isUndecided));
        }
        if (owner != null) {
            owner.acquire(current.values().stream()
                    .filter(assignment -> !heldBack.test(assignment.partition()))
                    .toList());
        }
    }

    /**
     * Gives up what was acquired and is another's by now, or not where it was, so that it is acquired anew: whoever has the
     * partition by the group has the last word, however late others came before him.
     */
    void checkOwners() {
        if (check == null || deliveryThreads.isWaiting()) {
            return;
        }
        List<WatermarkCheck.Lost> found = new ArrayList<>(check.lost(current.values()));
        // So that each has its turn.
        Collections.shuffle(found);
        long begun = clock.getAsLong();
        for (WatermarkCheck.Lost lost : found) {
            TopicPartition partition = lost.assignment().partition();
            if (clock.getAsLong() - begun > LONGEST_TURN.toNanos()) {
                // Slow answers add up, and Kafka takes a member that does not poll for dead. The next check finds the
                // others.
                return;
            }
            if (current.get(partition) == lost.assignment() && isMember(partition, lost.position())) {
                log.warn("{}: {} is acquired anew: {}", name, partition, check.acquiredAnew(lost));
                if (identities != null) {
                    identities.forget(partition.topic());
                }
                restart(partition, new OffsetAndMetadata(lost.position()));
            }
        }
    }

    /**
     * Whether the group still knows this member: it takes a commit of offsets from no other. A member that was stopped for
     * long must not take back what is another's by now.
     */
    private boolean isMember(TopicPartition partition, long position) {
        try {
            consumer.commitSync(Map.of(partition, marked(partition, new OffsetAndMetadata(position))), COMMIT_TIMEOUT);
            return true;
        } catch (KafkaException e) {
            Uninterrupted.clear();
            log.debug("{}: {} may be another member's by now, it is left alone", name, partition, e);
            return false;
        }
    }

    /** The partitions that this member has. */
    Set<TopicPartition> partitions() {
        return current.keySet();
    }

    private boolean isToBeAcquired(Assignment assignment) {
        return owner != null && assignment.owner() == null;
    }

    Assignment get(TopicPartition partition) {
        return Objects.requireNonNull(current.get(partition), () -> partition + " is not assigned");
    }

    /** Whether the id of its topic is known, or need not be, and is the one that it was before. */
    boolean isIdentified(Assignment assignment) {
        if (identities == null) {
            return true;
        }
        String prefix = identities.prefixOf(assignment.partition().topic());
        return prefix != null && assignment.isOf(prefix);
    }

    /**
     * Begins anew with the partitions whose topic is another one of the same name by now. Their offsets say nothing there, and none of
     * them is committed.
     */
    void leaveTopicsMadeAnew() {
        if (identities == null) {
            return;
        }
        for (Assignment before : List.copyOf(current.values())) {
            String prefix = identities.prefixOf(before.partition().topic());
            if (prefix != null && !before.isOf(prefix)) {
                TopicPartition partition = before.partition();
                log.warn("{}: {} begins anew: its topic was deleted and made anew", name, partition);
                if (added != null) {
                    added.forget(partition.topic());
                }
                replace(before);
                if (owner == null) {
                    // The offset of the group is of the old topic. Nothing lies here, and Kafka does what
                    // auto.offset.reset says.
                    readAgain(partition, new OffsetAndMetadata(BEHIND_EVERYTHING));
                } else {
                    owner.prepare(partition);
                }
            }
        }
    }

    private void replace(Assignment before) {
        before.deliveries().withdraw();
        Assignment after = new Assignment(before.partition(), deliveryThreads.open());
        after.paused(before.isPaused());
        after.beginning(before.beginning());
        current.put(before.partition(), after);
    }

    /**
     * Gives up what is known of a partition, and begins anew at a record that was polled and not submitted, or at what was not
     * finished before it: that was submitted once, and is not any more.
     */
    void restart(TopicPartition partition, OffsetAndMetadata from) {
        Assignment before = get(partition);
        replace(before);
        if (owner == null) {
            long unfinished = before.tracker().firstUnfinished();
            OffsetAndMetadata begin = unfinished < from.offset() ? new OffsetAndMetadata(unfinished) : from;
            Uninterrupted.call(() -> consumer.seek(partition, begin));
        } else {
            owner.prepare(partition);
        }
        regulate(isHeldBack);
    }

    /** Reads records of a partition again, of which none was submitted yet. */
    void readAgain(TopicPartition partition, OffsetAndMetadata from) {
        Uninterrupted.call(() -> consumer.seek(partition, from));
    }

    /**
     * Gives the consumer a position of a partition that is held back, so that it does not throw because it has none. Nothing is
     * read there, and nothing is committed: another consumer begins where the group, or the watermark, says.
     */
    void setAnyPosition(TopicPartition partition) {
        readAgain(partition, new OffsetAndMetadata(0));
    }

    /** Looks how far each partition is ahead of its oldest unfinished record. */
    void noteWindow(int window) {
        current.values().forEach(assignment -> assignment.noteWindow(window));
    }

    /** The partitions of which this holds. */
    List<Assignment> which(Predicate<Assignment> condition) {
        return current.values().stream().filter(condition).toList();
    }

    /** Pauses the partitions that are held back, and resumes the others. */
    void regulate(Predicate<Assignment> heldBack) {
        isHeldBack = heldBack;
        List<TopicPartition> pause = new ArrayList<>();
        List<TopicPartition> resume = new ArrayList<>();
        for (Assignment assignment : current.values()) {
            boolean held = isToBeAcquired(assignment) || assignment.isUndecided() || heldBack.test(assignment);
            if (held != assignment.isPaused()) {
                (held ? pause : resume).add(assignment.partition());
                assignment.paused(held);
            }
        }
        Uninterrupted.call(() -> consumer.pause(pause));
        Uninterrupted.call(() -> consumer.resume(resume));
    }

    /**
     * Notes where partitions begin of which nothing is finished yet; with {@code latest} also where they go on because retention
     * has passed what was committed. Committed, it is where the next consumer begins: without it, one that
     * begins at the end of a log ({@code auto.offset.reset=latest}) would leave out what came while this one was at work, or could not be.
     *
     * @param polled records that are not handed over yet
     * @param heldBack partitions whose position means nothing
     */
    void noteBeginnings(ConsumerRecords<byte[], byte[]> polled, Predicate<TopicPartition> heldBack) {
        if (owner != null) {
            return;
        }
        for (Assignment assignment : current.values()) {
            if (assignment.isUndecided() || heldBack.test(assignment.partition())) {
                continue;
            }
            if (assignment.isPlaced()) {
                noteNewPlace(assignment, polled);
            } else {
                List<ConsumerRecord<byte[], byte[]>> records = polled.records(assignment.partition());
                // The consumer stands behind these already.
                long position = records.isEmpty()
                        ? position(assignment.partition())
                        : records.get(0).offset();
                if (position != UNKNOWN && position != BEHIND_EVERYTHING) {
                    assignment.beginsAt(position);
                }
            }
        }
    }

    /** Without records in between, the consumer is elsewhere only because Kafka has reset its position. */
    private void noteNewPlace(Assignment assignment, ConsumerRecords<byte[], byte[]> polled) {
        OffsetTracker tracker = assignment.tracker();
        boolean mayBeNew = latest != null
                && !assignment.isPaused()
                && polled.records(assignment.partition()).isEmpty()
                && tracker.size() == 0;
        OffsetAndMetadata before = mayBeNew ? tracker.position() : null;
        if (before != null) {
            long position = position(assignment.partition());
            if (position != UNKNOWN && position != BEHIND_EVERYTHING && position != before.offset()) {
                tracker.polledTo(new OffsetAndMetadata(position));
            }
        }
    }

    private long position(TopicPartition partition) {
        try {
            return Uninterrupted.get(() -> consumer.position(partition, Duration.ZERO));
        } catch (KafkaException | IllegalStateException e) {
            log.trace("{}: it is not known yet where {} begins", name, partition, e);
            return UNKNOWN;
        }
    }

    /** Sends what can be committed, unless an earlier commit is still under way. */
    void commitAsync() {
        if (commitUnderWay) {
            commitFailures.sent();
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> positions = positions(current.values(), false);
        if (positions.isEmpty()) {
            commitFailures.nothingToCommit();
            return;
        }
        commitFailures.sent();
        Map<TopicPartition, Assignment> sentFor = Map.copyOf(current);
        OffsetCommitCallback answer = (offsets, failure) -> {
            commitUnderWay = false;
            if (failure == null) {
                commitFailures.areOver();
            } else {
                log.debug("{}: offsets {} were not committed, to be sent again", name, offsets, failure);
                commitFailures.failed(failure);
                positions
                        .keySet()
                        .forEach(partition ->
                                Objects.requireNonNull(sentFor.get(partition)).committed(null, clock.getAsLong()));
            }
        };
        commitUnderWay = true;
        try {
            consumer.commitAsync(positions, answer);
        } catch (InterruptException e) {
            // Sent or not, nobody may ever answer.
            Uninterrupted.clear();
            answer.onComplete(positions, e);
        }
    }

    /**
     * Notes which partitions have left behind what processes may have died of; not while the delivery threads wait for the database, which
     * might keep the poll thread as long as the pool waits for a connection.
     */
    void noteSurvived() {
        if (deliveryThreads.isWaiting()) {
            return;
        }
        beginnings.survived(current.values(), assignment -> isAtEnd(assignment.partition()));
    }

    private boolean isAtEnd(TopicPartition partition) {
        try {
            return Uninterrupted.get(() -> consumer.currentLag(partition)).orElse(1) == 0;
        } catch (IllegalStateException e) {
            log.debug("{}: the consumer does not know the lag of {}", name, partition, e);
            return false;
        }
    }

    /** What is to be committed; or all that there is. */
    private Map<TopicPartition, OffsetAndMetadata> positions(Collection<Assignment> assignments, boolean all) {
        long now = clock.getAsLong();
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        for (Assignment assignment : assignments) {
            OffsetAndMetadata position = all ? assignment.tracker().position() : assignment.uncommitted(now);
            if (position != null && isIdentified(assignment)) {
                positions.put(assignment.partition(), marked(assignment.partition(), position));
                assignment.committed(position, now);
            }
        }
        return positions;
    }

    private OffsetAndMetadata marked(TopicPartition partition, OffsetAndMetadata position) {
        OffsetAndMetadata marked = owner == null ? position : LogOwner.marked(position);
        return added == null ? marked : added.marked(partition, marked);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        log.info("{}: assigned {}", name, partitions);
        for (TopicPartition partition : partitions) {
            Assignment assignment = new Assignment(partition, deliveryThreads.open());
            current.put(partition, assignment);
            if (owner != null) {
                owner.prepare(partition);
            }
            if (latest != null) {
                latest.prepare(assignment);
            }
            if (identities != null) {
                // While nobody had the partition, its topic may have been made anew.
                identities.forget(partition.topic());
            }
        }
        regulate(isHeldBack);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        log.info("{}: revoked {}", name, partitions);
        giveUp(partitions, revocationTimeout);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        // Somebody else may have them already: what we know of them is history.
        log.warn("{}: lost {}", name, partitions);
        List<Assignment> lost = remove(partitions);
        lost.forEach(assignment -> assignment.deliveries().withdraw());
        beginnings.end(lost);
    }

    /** Gives up all partitions, before the consumer is closed. */
    void giveUpAll(Duration timeout) {
        giveUp(List.copyOf(current.keySet()), timeout);
    }

    private void giveUp(Collection<TopicPartition> partitions, Duration timeout) {
        List<Assignment> given = remove(partitions);
        long deadline = System.nanoTime() + timeout.toNanos();
        given.forEach(assignment -> assignment.deliveries().withdraw());
        for (Assignment assignment : given) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            if (!assignment.deliveries().awaitIdle(left)) {
                log.warn(
                        "{}: messages of {} are still in work after {}; their redelivery will settle what became of them",
                        name,
                        assignment.partition(),
                        DurationText.of(timeout));
            }
        }
        // Not what is committed already: where the topic was deleted meanwhile, that would be committed for one that is
        // made anew.
        commitSync(positions(given, commitUnderWay));
        // Also of what is still in work: it may be slow, and if it kills, it kills again.
        beginnings.end(given);
    }

    private List<Assignment> remove(Collection<TopicPartition> partitions) {
        List<Assignment> removed = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            @Nullable Assignment assignment = current.remove(partition);
            if (assignment != null) {
                removed.add(assignment);
            }
        }
        return removed;
    }

    private void commitSync(Map<TopicPartition, OffsetAndMetadata> positions) {
        if (positions.isEmpty()) {
            return;
        }
        commitFailures.sent();
        try {
            Uninterrupted.call(() -> consumer.commitSync(positions, COMMIT_TIMEOUT));
            commitFailures.areOver();
        } catch (KafkaException e) {
            commitFailures.failed(e);
            log.debug("{}: offsets {} were not committed, they will be delivered again", name, positions, e);
        }
    }
}
