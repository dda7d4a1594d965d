package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.AdminStore;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.BlockedKey;
import io.pigeonhole.core.admin.ConsumerSummary;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.Page;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeuedPart;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.core.time.SystemTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory, for unit tests of handlers and of what surrounds them. It behaves as the stores on databases do and
 * passes the same contracts: transactions see nothing of each other before they commit, a claim waits for its concurrent duplicate, and a
 * transaction that was blocked is aborted. It survives nothing: when the process ends, all is lost. Safe for use by
 * many threads.
 */
public final class InMemoryStore implements InboxStore<InMemoryContext>, AdminStore {
    static final Duration FOR_EVER = Duration.ofDays(365);

    private final Tables tables;
    private final Consumers consumers = new Consumers();
    private final StartCounts starts = new StartCounts();
    private final AdminReads reads;
    private final AdminChanges changes;
    private final Requeues requeues;
    private final MemoryReplays replays;
    private volatile boolean available = true;

    private InMemoryStore(Clock clock) {
        this.tables = new Tables(clock);
        this.reads = new AdminReads(tables, consumers);
        this.changes = new AdminChanges(tables, consumers);
        this.requeues = new Requeues(tables, consumers);
        this.replays = new MemoryReplays(tables, consumers);
    }

    /**
     * An empty store that goes by the clock of this machine.
     *
     * @return the store
     */
    public static InMemoryStore create() {
        return create(SystemTime.clock());
    }

    /**
     * An empty store that goes by a clock of its own, which a test can move: due times, leases and ages go by it.
     *
     * @param clock the store's clock. It also says when a consumer is registered: ids made before take the digest form
     * @return the store
     */
    public static InMemoryStore create(Clock clock) {
        return new InMemoryStore(clock);
    }

    /**
     * Begins a transaction of the caller's own.
     *
     * @return the transaction, to be closed by the caller
     * @throws StoreUnavailableException if the store was set to be away
     */
    public InMemoryTransaction transaction() {
        probe();
        return new InMemoryTransaction(new Changes(tables, FOR_EVER));
    }

    /**
     * The ledger as a transaction of the caller's own sees it. A claim waits for at most ten seconds while another
     * transaction holds the key.
     *
     * @param transaction from {@link #transaction()}
     * @return the ledger, to be used as long as the transaction is open
     */
    public Ledger ledger(InMemoryTransaction transaction) {
        return transaction.ledger();
    }

    /**
     * Says whether the store can be used. While it cannot, whatever is asked of it fails as if the database were away;
     * open transactions can be closed.
     *
     * @param now whether it can
     */
    public void available(boolean now) {
        available = now;
    }

    /**
     * What people may look at and decide about the messages of this store.
     *
     * @return an admin
     */
    public Admin admin() {
        return Admin.of(this);
    }

    /**
     * Sets how far the ledger reaches. Without it, it reaches from the beginning to the end of time. What it holds from
     * before {@code oldest} is deleted.
     *
     * @param oldest ids in time form that were made before it are late
     * @param newest ids in time form that were made then or later are from the future; null for no such end
     */
    public void ledgerBounds(Instant oldest, @Nullable Instant newest) {
        MessageKey from = MessageKey.firstOf(oldest.toEpochMilli());
        MessageKey to = newest == null ? MessageKey.FIRST_DIGEST : MessageKey.firstOf(newest.toEpochMilli());
        tables.write(all -> all.moveBounds(from, to));
    }

    /**
     * The messages that a consumer has processed, as far as the ledger remembers.
     *
     * @param consumer the consumer's name
     * @return their keys in the order of their commits, a snapshot; none for an unknown consumer
     */
    public Set<MessageKey> processed(String consumer) {
        return tables.read(all -> all.processed(consumers.idOf(consumer)));
    }

    /**
     * The messages of a consumer that failed and wait for another attempt.
     *
     * @param consumer the consumer's name
     * @return the messages in the order of their arrival, a snapshot; none for an unknown consumer
     */
    public List<ParkedMessage> parked(String consumer) {
        return tables.read(all -> all.parked(consumers.idOf(consumer)));
    }

    /**
     * The unfinished messages of a consumer: received, parked and leased.
     *
     * @param consumer the consumer's name
     * @return the messages in the order of their arrival, a snapshot; none for an unknown consumer
     */
    public List<WorkItem> work(String consumer) {
        return tables.read(all -> all.work(consumers.idOf(consumer)));
    }

    /**
     * The messages that a consumer has given up on.
     *
     * @param consumer the consumer's name
     * @return the dead letters in the order in which they came there, a snapshot; none for an unknown consumer
     */
    public List<DeadLetter> deadLetters(String consumer) {
        return tables.read(all -> all.deadLetters(consumers.idOf(consumer)));
    }

    /**
     * How often a dead letter was delivered or dead-lettered again.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @return 0 for one that came once, and for a message that is no dead letter
     */
    public int seenAgain(String consumer, MessageKey key) {
        return tables.read(all -> {
            LetterRow letterRow = all.letterRows.get(new Row(consumers.idOf(consumer), key));
            return letterRow == null ? 0 : letterRow.seenAgain();
        });
    }

    /**
     * The attempts of a message that failed. They stay when the message is finished or dead.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @return the attempts in the order of their commits, a snapshot
     */
    public List<FailedAttempt> attempts(String consumer, MessageKey key) {
        return tables.read(all -> {
            Row row = new Row(consumers.idOf(consumer), key);
            return all.attempts.stream()
                    .filter(each -> each.row().equals(row))
                    .map(each -> each.entry().attempt())
                    .toList();
        });
    }

    /**
     * What was recorded of a consumer's finished messages.
     *
     * @param consumer the consumer's name
     * @return the messages in the order of their commits, a snapshot; none for an unknown consumer
     */
    public List<FinishedMessage> history(String consumer) {
        return tables.read(all -> all.history(consumers.idOf(consumer)));
    }

    /**
     * Pauses a consumer, or resumes it. While it is paused, nothing is taken or leased for it, and claimed in callers' transactions only.
     *
     * @param consumer the consumer's name; an unknown one stays unknown
     * @param now whether it is paused from now on
     */
    public void paused(String consumer, boolean now) {
        tables.write(all -> {
            short id = consumers.idOf(consumer);
            if (now) {
                all.paused.add(id);
            } else {
                all.paused.remove(id);
            }
        });
    }

    @Override
    public RegisteredConsumer register(ConsumerRegistration registration) {
        probe();
        return tables.read(all -> consumers.register(registration, all.now()));
    }

    @Override
    public InboxTransaction<InMemoryContext> begin(Duration idleLimit) {
        probe();
        return new MemoryTransaction(this, new Changes(tables, idleLimit));
    }

    @Override
    public ErrorClass classify(Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof PermanentFailure) {
                return ErrorClass.PERMANENT;
            }
            if (cause instanceof StoreException refused) {
                return refused.errorClass();
            }
            if (cause instanceof StoreUnavailableException) {
                return ErrorClass.UNAVAILABLE;
            }
            if (cause instanceof OutcomeUnknownException) {
                return ErrorClass.UNKNOWN;
            }
        }
        return ErrorClass.MESSAGE;
    }

    @Override
    public void probe() {
        if (!available) {
            throw new StoreUnavailableException("the store was set to be away", null);
        }
    }

    @Override
    public List<Due> due(Collection<RegisteredConsumer> asked) {
        probe();
        return tables.read(all -> DueDates.of(all, asked));
    }

    @Override
    public Set<Integer> appendedTo(String destination) {
        probe();
        return tables.read(all -> all.outbox.workPartitionsOf(destination));
    }

    @Override
    public Runnable whenAppended(BiConsumer<String, Set<Integer>> listener) {
        return tables.outbox.listen(listener);
    }

    /**
     * The messages that were appended for a destination and are neither published nor moved to the work of its relay.
     *
     * @param destination the destination
     * @return the messages in the order in which they were appended, a snapshot
     */
    public List<Message> outbox(String destination) {
        return tables.read(all -> all.outbox.messages(destination));
    }

    @Override
    public int started(RegisteredConsumer consumer, Start start, int limit, Duration fresh) {
        probe();
        return tables.read(all -> {
            if (all.paused.contains(consumer.id())) {
                throw new ConsumerPausedException(consumer.name());
            }
            return starts.started(consumer.id(), start, limit, fresh, all.now());
        });
    }

    @Override
    public void ended(RegisteredConsumer consumer, Start start) {
        probe();
        tables.read(all -> starts.ended(consumer.id(), start));
    }

    @Override
    public void survived(RegisteredConsumer consumer, Start start) {
        probe();
        tables.read(all -> starts.survived(consumer.id(), start));
    }

    @Override
    public Watermark acquire(RegisteredConsumer consumer, LogPartition partition, String log) {
        probe();
        return tables.read(all -> {
            consumer.requireDeduplication(consumers.require(consumer.name()).deduplication());
            return all.marks.acquire(consumer, partition, log);
        });
    }

    @Override
    public Heartbeat heartbeat() {
        return new MemoryHeartbeat(this, tables);
    }

    @Override
    public ReplayStore replays() {
        probe();
        return replays;
    }

    @Override
    public HistoryDays historyDays() {
        probe();
        return replays;
    }

    @Override
    public Duration window() {
        return MemoryRetention.WINDOW;
    }

    @Override
    public Answer confirmClock(Author by) {
        probe();
        return tables.read(all -> MemoryRetention.confirmClock(all, by));
    }

    /**
     * Deletes all that is due, after the times that are standard. A clock that a test moves forward by more than a day has to
     * be {@linkplain #confirmClock confirmed} first, as on a database.
     */
    @Override
    public Retired retire() {
        probe();
        return tables.read(MemoryRetention::run);
    }

    /** No day has to be prepared. */
    @Override
    public void maintain() {
        probe();
    }

    @Override
    public Sizes sizes() {
        probe();
        return tables.read(MemoryRetention::sizes);
    }

    @Override
    public List<ConsumerSummary> consumers() {
        probe();
        return reads.consumers();
    }

    @Override
    public Page<WorkEntry> work(WorkFilter filter, PageRequest page) {
        probe();
        return reads.work(filter, page);
    }

    @Override
    public Page<DeadLetterEntry> deadLetters(DeadLetterFilter filter, PageRequest page) {
        probe();
        return reads.deadLetters(filter, page);
    }

    @Override
    public Selection select(DeadLetterFilter filter, @Nullable Instant cutoff) {
        probe();
        return reads.select(filter, cutoff);
    }

    @Override
    public Optional<MessageDetails> show(String consumer, MessageKey key) {
        probe();
        return reads.show(consumer, key);
    }

    @Override
    public List<BlockedKey> blockedKeys(String consumer, int limit) {
        probe();
        return reads.blockedKeys(consumer, limit);
    }

    @Override
    public Page<AuditEntry> audit(String consumer, PageRequest page) {
        probe();
        return reads.audit(consumer, page);
    }

    @Override
    public Answer retryNow(String consumer, MessageKey key, Author by) {
        probe();
        return changes.retryNow(consumer, key, by);
    }

    @Override
    public Answer releaseLease(String consumer, MessageKey key, Author by) {
        probe();
        return changes.releaseLease(consumer, key, by);
    }

    @Override
    public Answer discard(String consumer, MessageKey key, Author by) {
        probe();
        return changes.discard(consumer, key, by);
    }

    @Override
    public Answer requeue(String consumer, MessageKey key, boolean evenIfLate, Author by) {
        probe();
        return requeues.one(consumer, key, evenIfLate, by);
    }

    @Override
    public Optional<RequeuedPart> requeue(
            Selection selection,
            @Nullable Cursor after,
            int limit,
            Requeue options,
            @Nullable Instant firstDue,
            Author by) {
        probe();
        return requeues.part(selection, after, limit, options, firstDue, by);
    }

    @Override
    public Answer unblock(String consumer, OrderingKey orderingKey, Author by) {
        probe();
        return changes.unblock(consumer, orderingKey, by);
    }

    @Override
    public Answer pause(String consumer, boolean paused, Author by) {
        probe();
        return changes.pause(consumer, paused, by);
    }

    @Override
    public Answer deduplicateBy(String consumer, Deduplication deduplication, Author by) {
        probe();
        return changes.deduplicateBy(consumer, deduplication, by);
    }

    @Override
    public Answer forgetWatermarks(String consumer, String source, Author by) {
        probe();
        return changes.forgetWatermarks(consumer, source, by);
    }

    void requireAvailable() {
        if (!available) {
            throw new StoreException(ErrorClass.UNAVAILABLE, "the store was set to be away", null);
        }
    }
}
