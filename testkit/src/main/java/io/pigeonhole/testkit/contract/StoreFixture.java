package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.admin.AdminStore;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A store under test, and the means to look at what it keeps. Made anew for each test; the tests use consumers of random
 * names, so that several fixtures may share one database, one after the other.
 *
 * @param <C> the context that the store hands to handlers
 */
public interface StoreFixture<C extends HandlerContext> extends AutoCloseable {
    /**
     * The store.
     *
     * @return the same at every call
     */
    InboxStore<C> store();

    /**
     * The same store as the admin API needs it.
     *
     * @return the store
     */
    AdminStore adminStore();

    /**
     * Writes an effect in a handler's transaction, at once where the store can do that. Nothing must keep two equal
     * effects apart or together: no unique constraint.
     *
     * @param context the handler's context
     * @param effect a short text
     */
    void write(C context, String effect);

    /**
     * Writes an effect in a handler's transaction, deferred where the store can do that.
     *
     * @param context the handler's context
     * @param effect a short text
     */
    void defer(C context, String effect);

    /**
     * The effects that are committed since this fixture was made.
     *
     * @return all of them, with repeats; those of one thread in the order of their writing
     */
    List<String> effects();

    /**
     * The messages that wait for another attempt.
     *
     * @param consumer whose
     * @return the messages in the order of their parking
     */
    List<StoredMessage> parked(String consumer);

    /**
     * The dead letters.
     *
     * @param consumer whose
     * @return the messages, in no special order
     */
    List<StoredMessage> deadLetters(String consumer);

    /**
     * The recorded finished messages.
     *
     * @param consumer whose
     * @return the messages, in no special order
     */
    List<StoredMessage> history(String consumer);

    /**
     * Begins a transaction as an application would do it by itself.
     *
     * @return the transaction
     */
    CallersTransaction begin();

    /**
     * Moves the beginning of the ledger, so that time-ordered ids that were made earlier are late.
     *
     * @param oldest where the ledger begins from now on
     */
    void ledgerBounds(Instant oldest);

    /**
     * An instant of which the ledger has no day yet, so that ids made then are from the future.
     *
     * @return the instant
     */
    Instant beyondTheLedger();

    /**
     * Moves the store's own clock forward: due times, leases and ages go by it. Called while no transaction is open.
     *
     * @param duration how far
     */
    void advance(Duration duration);

    /**
     * Whether the database itself ends a transaction that is idle for too long. One that lies in the process cannot outlive
     * it, and need not.
     *
     * @return false where nothing frees what an idle transaction holds
     */
    boolean endsIdleTransactions();

    /**
     * Pauses a consumer, or resumes it. Done when it returns.
     *
     * @param consumer the consumer's name
     * @param paused whether it is paused from now on
     */
    void pause(String consumer, boolean paused);

    /**
     * How often a dead letter was delivered or dead-lettered again.
     *
     * @param consumer whose
     * @param key the key of a dead letter
     * @return 0 where it came once
     */
    int seenAgain(String consumer, MessageKey key);

    /**
     * The attempts of a message that failed, whether it is still in work, dead, or finished since.
     *
     * @param consumer whose
     * @param key the message's key
     * @return in the order of their recording: {@code number: error class: message}
     */
    List<String> attempts(String consumer, MessageKey key);

    @Override
    void close();
}
