package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;

/**
 * The ledger as seen from a transaction that the caller began and will end. Used by the thread that uses that transaction.
 */
public interface Ledger {
    /**
     * Claims one key in the caller's transaction. Waits while another transaction that claimed it is open: as long as the
     * caller's own lock timeout and statement timeout allow, on PostgreSQL at most 10 s,
     * where the driver can cancel a statement. The claim is gone when the caller rolls back or dies.
     *
     * @param consumer whose ledger
     * @param key the key
     * @return whether it was claimed, and the ledger's bounds at that moment
     * @throws ClaimBlockedException if that transaction did not end in time; the caller's is to be rolled back
     * @throws io.pigeonhole.core.failure.ConfigurationException if the caller's transaction has an isolation level at which a
     *     key that was accepted before could be taken for new
     * @throws StoreException if the database refused; the caller's transaction is then to be rolled back
     */
    Claim claim(RegisteredConsumer consumer, MessageKey key);

    /**
     * Whether a key was claimed, as far as the caller's transaction can see. It says nothing of transactions still open:
     * to decide whether to do something, claim.
     *
     * @param consumer whose ledger
     * @param key the key
     * @return true if the ledger, the work or the dead letters have it
     * @throws StoreException if the database refused
     */
    boolean contains(RegisteredConsumer consumer, MessageKey key);
}
