package io.pigeonhole.core.inbox;

import static java.util.stream.Collectors.toCollection;

import io.pigeonhole.core.failure.ClaimRefusedException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The transactional inbox of one consumer: whatever a broker delivers, however often, takes effect in the database exactly
 * once. The claim of the message, the writes of its handler and what is remembered of it commit in one transaction.
 *
 * <p>Safe for use by many threads; each call works on the calling thread, in transactions of its own. A process that dies
 * during a call leaves either nothing of a transaction or all of it, and the redelivery of its messages settles which.
 *
 * @param <C> the context that the store hands to handlers
 */
public final class Inbox<C extends HandlerContext> {
    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final Reception reception;
    private final InboxEngine<C> engine;
    private final Worker<C> worker;
    private final SourceInbox source;
    private final NodeInbox node;
    private final Handler<Message, C> ownHandlers;

    Inbox(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            Reception reception,
            InboxEngine<C> engine,
            Worker<C> worker,
            SourceInbox source,
            NodeInbox node,
            Handler<Message, C> ownHandlers) {
        this.store = store;
        this.consumer = consumer;
        this.reception = reception;
        this.engine = engine;
        this.worker = worker;
        this.source = source;
        this.node = node;
        this.ownHandlers = ownHandlers;
    }

    /**
     * Begins an inbox.
     *
     * @param consumer the logical name of the consumer: messages are deduplicated within it, so that two consumers of one
     *     message do not disturb each other. Stable for ever
     * @param store where it keeps its messages
     * @param <C> the context that the store hands to handlers
     * @return a builder with the standard settings
     */
    public static <C extends HandlerContext> InboxBuilder<C> builder(String consumer, InboxStore<C> store) {
        return new InboxBuilder<>(consumer, store);
    }

    /**
     * The logical name of the consumer.
     *
     * @return the name
     */
    public String consumer() {
        return consumer.name();
    }

    /**
     * Processes one delivery in a transaction of its own.
     *
     * @param message the message
     * @return what became of it; where it is not {@linkplain Outcome#settled() settled}, do not acknowledge, hand it in again
     * @throws io.pigeonhole.core.failure.RetryableException if nothing was decided: do not acknowledge, hand it in again
     */
    public Outcome process(Message message) {
        return process(List.of(message)).get(0);
    }

    /**
     * Processes many deliveries, in one transaction as long as none of them fails. Messages that share an ordering key
     * should be handed in by one thread at a time, in their order.
     *
     * <p>A handler that is interrupted has failed as with any other exception. An interrupt that comes before the call, or
     * that a handler leaves behind, reaches no other handler; the calling thread has it again when the call returns.
     *
     * @param messages the messages in the order of arrival, maybe none, duplicates allowed
     * @return what became of each, in the same order; acknowledge only those that are {@linkplain Outcome#settled() settled}, and hand
     *     the others in again
     * @throws io.pigeonhole.core.failure.RetryableException if of some nothing was decided: acknowledge none, hand all of
     *     them in again; those that were committed are then reported as duplicates
     */
    public List<Outcome> process(List<Message> messages) {
        return Interrupts.ofCaller(() -> engine.process(messages, reception));
    }

    /**
     * Stores a delivery for the workers, without running its handler now.
     *
     * @param message the message
     * @return what became of it, {@link Outcome.Received} where it is new
     * @throws io.pigeonhole.core.failure.RetryableException if nothing was decided: do not acknowledge, hand it in again
     */
    public Outcome receive(Message message) {
        return receive(List.of(message)).get(0);
    }

    /**
     * Stores many deliveries for the workers, without running their handlers now. Once this returns they are durable and
     * may be acknowledged; a node that has this inbox, or {@link #work()}, does the rest.
     *
     * @param messages the messages in the order of arrival, maybe none, duplicates allowed
     * @return what became of each, in the same order
     * @throws io.pigeonhole.core.failure.RetryableException if of some nothing was decided: acknowledge none, hand all of
     *     them in again
     */
    public List<Outcome> receive(List<Message> messages) {
        return Interrupts.ofCaller(() -> engine.process(messages, Reception.STORE));
    }

    /**
     * Works on everything that is due now, on the calling thread: what was received, what is due for another attempt, what
     * needs a lease, leases that have run out. For tests, and for programs without a {@link io.pigeonhole.core.node.Node}.
     * Many threads and processes may do so at once; no message is worked on by two of them.
     *
     * @return how many messages were brought to an outcome
     * @throws io.pigeonhole.core.failure.RetryableException if the database is away, others were in the way too often, or the
     *     database refused the work of a work partition, as with a damaged row; then the others were worked on first. What was committed
     *     stays, call again
     */
    public int work() {
        return Interrupts.ofCaller(this::workOnAll);
    }

    private int workOnAll() {
        int total = 0;
        Set<Backlog.Due> inVain = Set.of();
        AtomicBoolean leased = new AtomicBoolean();
        NodeInbox.Progress progress = new NodeInbox.Progress() {
            @Override
            public void leased() {
                leased.set(true);
            }
        };
        while (true) {
            // A handler may have left an interrupt, which would end the wait for a connection.
            Interrupts.clear();
            Set<Backlog.Due> dueNow = dueNow();
            // What was left for leases by the look before is due in another way now.
            if (dueNow.isEmpty() || dueNow.equals(inVain)) {
                return total;
            }
            int brought = 0;
            leased.set(false);
            RetryableException refused = null;
            for (Backlog.Due due : dueNow) {
                try {
                    brought += worker.work(due, progress);
                } catch (RetryableException e) {
                    refused = requireOfItsPartition(e, refused);
                }
            }
            total += brought;
            if (brought == 0 && refused != null) {
                throw refused;
            }
            // A message whose lease was lost meanwhile does not count, and others may be behind it.
            inVain = brought == 0 && !leased.get() ? dueNow : Set.of();
        }
    }

    /** What the database refuses in one work partition keeps none of the others from being worked on. */
    private static RetryableException requireOfItsPartition(
            RetryableException failure, @Nullable RetryableException before) {
        boolean isOfAll = failure instanceof StoreUnavailableException
                || failure instanceof OutcomeUnknownException
                || failure instanceof ConsumerPausedException;
        if (isOfAll || Interrupts.areOurs()) {
            throw failure;
        }
        if (before == null) {
            return failure;
        }
        before.addSuppressed(failure);
        return before;
    }

    private Set<Backlog.Due> dueNow() {
        try {
            return store.due(List.of(consumer)).stream()
                    .filter(due -> due.in().isZero())
                    .collect(toCollection(LinkedHashSet::new));
        } catch (StoreException e) {
            if (e.errorClass().isRefusal()) {
                // As with a damaged page: what is in others can be done.
                return new LinkedHashSet<>(Backlog.Due.allOf(consumer));
            }
            throw new RetryableException("what is due could not be found out; what was committed stays, call again", e);
        }
    }

    /**
     * This inbox as sources need it. For whoever writes a source.
     *
     * @return always the same
     */
    public SourceInbox forSources() {
        return source;
    }

    /**
     * This inbox as nodes need it. For whoever works on what is due without a {@link io.pigeonhole.core.node.Node}.
     *
     * @return always the same
     */
    public NodeInbox forNodes() {
        return node;
    }

    /**
     * The consumer as the database remembers it, for those who ask the store about it.
     *
     * @return the registered consumer
     */
    public RegisteredConsumer registered() {
        return consumer;
    }

    /**
     * The handlers of this inbox without its deduplication: each message goes to the handler of its type, in whatever
     * transaction its context is of. For a replay that is a recovery; the effects happen again.
     *
     * @return a handler that is safe for use by many threads as far as the inbox's handlers are. It throws what they throw,
     *     and a {@link io.pigeonhole.core.failure.PermanentFailure} where the type has no handler, or an external one
     */
    public Handler<Message, C> ownHandlers() {
        return ownHandlers;
    }

    /**
     * Claims a message in the caller's own transaction, without a handler: when it answers true, the caller does the work
     * and commits both. No retry, no parking: a failure of the work rolls the claim back with it. A pause of the consumer does not
     * concern it: the caller receives the messages, and would have to keep them.
     *
     * @param message the message; it needs an id
     * @param ledger the ledger as seen from the caller's transaction, from the store
     * @return true if the message is new, false if it is a duplicate
     * @throws ConfigurationException if the consumer deduplicates by watermarks only, or a duplicate could not be recognised at
     *     the isolation level of the caller's transaction
     * @throws ClaimRefusedException if the message has no usable id, or its id is older than the ledger or of a day that it
     *     does not have yet: nothing was claimed
     * @throws io.pigeonhole.core.failure.ClaimBlockedException if another transaction holds the message's key and does not end in
     *     time; roll back, and hand the message in again
     * @throws io.pigeonhole.core.failure.StoreException if the database refused; roll back
     */
    public boolean claim(Message message, Ledger ledger) {
        if (consumer.deduplication() == Deduplication.WATERMARKS) {
            throw new ConfigurationException("consumer '" + consumer.name()
                    + "' deduplicates by WATERMARKS and has no ledger to claim a message in");
        }
        return DuplicateCheck.claim(ledger, consumer, message, keyOf(message));
    }

    /**
     * Whether a message was accepted before, as far as the caller's transaction can see. A look-up for people and reports:
     * another transaction may be about to accept it, so that only {@link #claim} decides.
     *
     * @param message the message; it needs an id
     * @param ledger the ledger as seen from the caller's transaction, from the store
     * @return true if the message is processed, parked or dead
     * @throws ClaimRefusedException if the message has no usable id
     */
    public boolean contains(Message message, Ledger ledger) {
        MessageKey key = keyOf(message);
        return ledger.contains(consumer, key) || IdsFarAhead.isKnownByDigestKey(ledger, consumer, message, key);
    }

    private MessageKey keyOf(Message message) {
        MessageId id = message.id();
        if (id == null) {
            throw new ClaimRefusedException(
                    DeadReason.NO_ID, message + " cannot be distinguished from a duplicate; give it an id");
        }
        if (id.length() > Envelope.LONGEST_ID) {
            throw new ClaimRefusedException(
                    DeadReason.ID_TOO_LONG,
                    "the message's id has " + id.length() + " bytes, the limit is " + Envelope.LONGEST_ID);
        }
        return consumer.keys().keyOf(message.source(), id);
    }
}
