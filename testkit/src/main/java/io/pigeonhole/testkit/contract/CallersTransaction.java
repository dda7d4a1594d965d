package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.store.Ledger;

/** A transaction that the application began, in the terms of the store under test. */
public interface CallersTransaction extends AutoCloseable {
    /**
     * The ledger as this transaction sees it.
     *
     * @return the ledger
     */
    Ledger ledger();

    /**
     * Writes an effect in this transaction.
     *
     * @param effect a short text
     */
    void write(String effect);

    /** Commits. */
    void commit();

    /** Rolls back unless committed. */
    @Override
    void close();
}
