package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/**
 * The claims on PostgreSQL, what else the ledger is asked, and what the history gets; they stand in {@code postgresql-ledger.sql}.
 * Parameters of claims are bound by their places: those of {@link PostgresTransactionStatement#BEGIN} where a transaction begins with
 * it, how long it waits, then its own.
 */
public enum PostgresLedgerStatement implements StatementName {
    /**
     * Claims keys in the middle of a transaction: the claim, the retention boundary that it used and when that was; then whether there
     * are dead letters. Of its own: consumer, keys, hashes or none, number of keys, consumer.
     */
    CLAIM,
    /**
     * The same at the beginning of one. Fails as {@link Claims#beginsOtherwise} says, before anything is done, where the session's
     * transactions begin otherwise than the engine's, which cannot be changed within a statement.
     */
    BEGIN_WITH_CLAIM,
    /** For such sessions, with one statement more in front. */
    BEGIN_OTHERWISE_WITH_CLAIM,
    /** For keys that are all taken for new; fails with {@link PostgresStates#UNIQUE_VIOLATION} where one is not. */
    BEGIN_WITH_CLAIM_AS_NEW,
    BEGIN_OTHERWISE_WITH_CLAIM_AS_NEW,
    /** Claims one key of a day that the ledger has. Of its own: the key, its hash or null, consumer. */
    CLAIM_ONE,
    BEGIN_WITH_CLAIM_ONE,
    BEGIN_OTHERWISE_WITH_CLAIM_ONE,
    /**
     * Behind {@link #CLAIM_ONE} where that has inserted nothing: the key is known, or this one inserts it, or fails. Only with its own:
     * consumer, the key, its hash or null, consumer.
     */
    CLAIM_ONE_BEHIND,
    /** Claims one key of a day that the ledger has, away from the engine. Only with its own: consumer, key. */
    CLAIM_ONE_BY_HAND,
    /** Behind it where that has inserted nothing. */
    CLAIM_ONE_BY_HAND_BEHIND,
    /** Claims keys away from the engine. Only with its own: consumer, keys. */
    CLAIM_BY_HAND,
    /** Which keys are in work or among the dead letters. */
    KNOWN,
    /** The keys that came with another payload before. */
    CONFLICTING,
    /** Adds a message to the history. Bound by places, too: the columns of the message, with payload, attempts. */
    RECORD;

    @Override
    public String file() {
        return "postgresql-ledger";
    }
}
