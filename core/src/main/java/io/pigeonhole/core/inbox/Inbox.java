package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.List;

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
    private final InboxEngine<C> engine;

    Inbox(InboxStore<C> store, RegisteredConsumer consumer, InboxEngine<C> engine) {
        this.store = store;
        this.consumer = consumer;
        this.engine = engine;
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
     * @return what became of it
     * @throws io.pigeonhole.core.failure.RetryableException if nothing was decided: do not acknowledge, hand it in again
     */
    public Outcome process(Message message) {
        return process(List.of(message)).get(0);
    }

    /**
     * Processes many deliveries, in one transaction as long as none of them fails. Messages that share an ordering key
     * should be handed in by one thread at a time, in their order.
     *
     * @param messages the messages in the order of arrival, maybe none, duplicates allowed
     * @return what became of each, in the same order
     * @throws io.pigeonhole.core.failure.RetryableException if of some nothing was decided: acknowledge none, hand all of
     *     them in again; those that were committed are then told as duplicates
     */
    public List<Outcome> process(List<Message> messages) {
        return engine.process(messages);
    }

    /**
     * Claims a message in the caller's own transaction, without a handler: when it answers true, the caller does the work
     * and commits both. No retry, no parking: a failure of the work rolls the claim back with it.
     *
     * @param message the message; it needs an id
     * @param ledger the ledger as seen from the caller's transaction, from the store
     * @return true if the message is new, false if it is a duplicate
     * @throws PigeonholeException if the message has no usable id, or its id is older than the ledger or of a day that it
     *     does not have yet: nothing was claimed
     * @throws io.pigeonhole.core.store.StoreException if the database refused; roll back
     */
    public boolean claim(Message message, Ledger ledger) {
        MessageKey key = keyOf(message);
        Claim claim = ledger.claim(consumer, key);
        if (claim.claimed().contains(key)) {
            return true;
        }
        if (claim.isFromTheFuture(key) || (claim.isLate(key) && !ledger.contains(consumer, key))) {
            throw new PigeonholeException(
                    Horizon.describe(key, claim) + ". Nothing was claimed: keep the message aside and look at it",
                    null);
        }
        return false;
    }

    /**
     * Whether a message was accepted before, as far as the caller's transaction can see. A look-up for people and reports:
     * another transaction may be about to accept it, so that only {@link #claim} decides.
     *
     * @param message the message; it needs an id
     * @param ledger the ledger as seen from the caller's transaction, from the store
     * @return true if the message is processed, parked or dead
     * @throws PigeonholeException if the message has no usable id
     */
    public boolean contains(Message message, Ledger ledger) {
        return ledger.contains(consumer, keyOf(message));
    }

    /**
     * Asks whether the inbox's database can be used now.
     *
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if it cannot
     */
    public void probe() {
        store.probe();
    }

    private MessageKey keyOf(Message message) {
        MessageId id = message.id();
        if (id == null) {
            throw new PigeonholeException(message + " cannot be told from a duplicate; give it an id", null);
        }
        if (id.length() > Envelope.LONGEST_ID) {
            throw new PigeonholeException(
                    "the message's id has " + id.length() + " bytes, the limit is " + Envelope.LONGEST_ID, null);
        }
        return consumer.keys().keyOf(message.source(), id);
    }
}
