package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StoreSchema;
import java.sql.SQLException;

/**
 * Every statement for PostgreSQL, whole. Statements that stand behind one another in one text go to the server in one trip;
 * the first that fails keeps the rest from being executed.
 *
 * <p>Names are unqualified. {@link StoreSchema} puts the store's schema before the tables; functions are left alone, so that
 * a test can put a clock of its own before the server's.
 */
public final class PostgresStatements {
    private static final String ISOLATION = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;\n";

    /** The limit of a claim of one key, with the others. */
    private static final String PATIENCE_OF_ONE = ", set_config('lock_timeout', ?, true)";

    /**
     * What every transaction of the engine begins with; it must come before the first snapshot.
     * Parameters: those of {@link PostgresSession#BEGIN}.
     */
    static final String PREAMBLE = ISOLATION + PostgresSession.BEGIN;

    /**
     * The limit for statements of ours where the session has one of its own, which is meant for the application's: that one,
     * but at least ten minutes. A statement of ours that is cancelled would be so each time anew. Formatted with: the session's.
     */
    private static final String AT_LEAST_TEN_MINUTES = """
            set_config('statement_timeout', CASE %1$s WHEN '0' THEN '0'
                ELSE CAST(CAST(extract(epoch FROM greatest(interval '10 minutes', CAST(%1$s AS interval))) * 1000 AS bigint) AS text)
                END, true)""";

    private static final String OWN_LIMIT = AT_LEAST_TEN_MINUTES.formatted(PostgresSession.STATEMENT_TIMEOUT_BEFORE);

    /** A search of ours that may take its time, between two settings. Formatted with: the search. */
    private static final String WITHOUT_HANDLERS_LIMIT =
            "SELECT " + OWN_LIMIT + ";\n%s;\nSELECT " + PostgresSession.HANDLERS_LIMIT;

    /**
     * In front of a statement of ours that may take its time, which may be a write of many rows. For a lock it waits no longer
     * than a handler may, but two seconds at least.
     */
    static final String LIFT_HANDLERS_LIMIT = """
            SELECT set_config('lock_timeout', CAST(CAST(extract(epoch FROM greatest(interval '2 seconds',
                CAST(CASE current_setting('lock_timeout') WHEN '0' THEN current_setting('statement_timeout')
                    ELSE current_setting('lock_timeout') END AS interval))) * 1000 AS bigint) AS text), true);
            SELECT\s""" + OWN_LIMIT;

    /** The SQLSTATE, query_canceled, of a statement that took longer than its limit. */
    static final String CANCELLED = "57014";

    /** The SQLSTATE, lock_not_available, of a statement that waited longer for a lock than it may. */
    static final String NO_LOCK = "55P03";

    /** What a claim of many has until its end: how long it waits for others, and our own limit. */
    private static final String PATIENCE_OF_MANY = "set_config('lock_timeout', ?, true), " + OWN_LIMIT;

    /** The same as a statement, to go in front of ours. */
    static final String PATIENCE = "SELECT " + PATIENCE_OF_MANY;

    /** What handlers have: their lock_timeout and their statement_timeout. */
    static final String PATIENCE_OF_HANDLERS =
            PostgresSession.LOCK_TIMEOUT_AS_BEFORE + ", " + PostgresSession.HANDLERS_LIMIT;

    /** Behind {@link #LIFT_HANDLERS_LIMIT}. */
    static final String SET_HANDLERS_LIMIT = "SELECT " + PATIENCE_OF_HANDLERS;

    /** By the server's clock. */
    private static final String MILLIS = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";

    /**
     * The claim, the horizon that it used, and when that was. Keys that no partition is for are left out, because one of them would fail the
     * whole statement. Known is what is in the way by consumer and key, not what a unique index of somebody's own refuses: that
     * fails. Keys are told only where not all were new. Then, with a snapshot of its own because the claim may
     * have waited for somebody who dead-lettered a message, whether there are dead letters at all, one look into an index; and the
     * handlers' own lock_timeout again. Parameters: consumer, keys, hashes or none, number of keys, consumer.
     */
    private static final String INSERT_MANY = """
            WITH h AS MATERIALIZED (
                SELECT l.oldest, l.newest, c.id, c.paused
                FROM inbox_horizon AS l, inbox_consumer AS c
                WHERE c.id = ?
            ), i AS (
                INSERT INTO inbox_ledger (consumer_id, message_key, payload_hash, accepted_at)
                SELECT h.id, u.k, u.hash, clock_timestamp()
                FROM h, unnest(CAST(? AS uuid[]), CAST(? AS uuid[])) AS u (k, hash)
                WHERE u.k >= h.oldest AND (u.k < h.newest OR u.k >= 'ff000000-0000-0000-0000-000000000000')
                    AND NOT h.paused
                ON CONFLICT (consumer_id, message_key) DO NOTHING
                RETURNING message_key
            )
            SELECT h.oldest, h.newest, r.claimed, CASE WHEN r.claimed < ? THEN CAST(r.keys AS text) END, h.paused, %s
            FROM h, (SELECT count(*) AS claimed, array_agg(message_key) AS keys FROM i) AS r;
            SELECT (SELECT true FROM inbox_dead_letter WHERE consumer_id = ? ORDER BY message_key LIMIT 1),\s""".formatted(MILLIS) + PATIENCE_OF_HANDLERS;

    /** {@link #INSERT_MANY} in the middle of a transaction. Parameters: patience, then its own. */
    static final String CLAIM = PATIENCE + ";\n" + INSERT_MANY;

    /** The same at the beginning of one. Parameters: those of {@link PostgresSession#BEGIN}, patience, then its own. */
    static final Beginning BEGIN_WITH_CLAIM = Beginning.of(", " + PATIENCE_OF_MANY, INSERT_MANY);

    /**
     * The same for keys that are all taken for new; fails with {@link #KNOWN_KEY} where one is not. It looks into the index
     * once for each key instead of twice, and confirms none in the log.
     */
    static final Beginning BEGIN_WITH_CLAIM_AS_NEW = Beginning.of(
            ", " + PATIENCE_OF_MANY,
            INSERT_MANY.replace("    ON CONFLICT (consumer_id, message_key) DO NOTHING\n", ""));

    /**
     * One key of a day that the ledger has; no row is inserted where it is known, or the consumer is paused, or a unique index of
     * somebody's own refuses it: {@link #CLAIM_ONE_BEHIND} tells these apart. Not to name the key that decides saves the server a
     * look at the day's index in the catalog. Where the row is inserted, handlers have their own lock_timeout again, without a
     * statement more.
     * Parameters: the key, its hash or null, consumer.
     */
    private static final String INSERT_ONE = """
            INSERT INTO inbox_ledger (consumer_id, message_key, payload_hash, accepted_at)
            SELECT c.id, CAST(? AS uuid), CAST(? AS uuid), clock_timestamp()
            FROM inbox_consumer AS c
            WHERE c.id = ? AND NOT c.paused
            ON CONFLICT DO NOTHING
            RETURNING\s""" + PostgresSession.LOCK_TIMEOUT_AS_BEFORE;

    /**
     * The claim of one key: what nearly always is all there is to do. Nothing is asked besides.
     * Parameters: patience, then those of {@link #INSERT_ONE}.
     */
    static final String CLAIM_ONE = "SELECT set_config('lock_timeout', ?, true);\n" + INSERT_ONE;

    /** The same at the beginning of a transaction. Parameters: those of {@link PostgresSession#BEGIN}, patience, then {@link #INSERT_ONE}'s. */
    static final Beginning BEGIN_WITH_CLAIM_ONE = Beginning.of(PATIENCE_OF_ONE, INSERT_ONE);

    /**
     * Behind {@link #INSERT_ONE} where that has inserted nothing: the key is known, or this one inserts it, or fails. The consumer
     * may have been paused between the two; with a snapshot of its own, as behind a claim of many, it is told whether there are
     * dead letters. Parameters: consumer, the key, its hash or null, consumer.
     */
    static final String CLAIM_ONE_BEHIND = """
            INSERT INTO inbox_ledger (consumer_id, message_key, payload_hash, accepted_at)
            VALUES (?, ?, ?, clock_timestamp())
            ON CONFLICT (consumer_id, message_key) DO NOTHING
            RETURNING true;
            SELECT c.paused,
                (SELECT true FROM inbox_dead_letter AS d WHERE d.consumer_id = c.id ORDER BY d.message_key LIMIT 1),
                %s
            FROM inbox_consumer AS c
            WHERE c.id = ?""".formatted(PATIENCE_OF_HANDLERS);

    /**
     * A statement with all that a transaction begins with. The limits are set by a statement of their own: whoever waits for a
     * locked table waits before the statement behind it is executed.
     *
     * @param usual fails as {@link #beginsOtherwise} says, before anything is done, where the session's transactions begin
     *     otherwise than the engine's, which cannot be changed within a statement
     * @param otherwise for such sessions, with one statement more in front
     */
    public record Beginning(String usual, String otherwise) {
        private static final String LEVEL =
                ", set_config('transaction_isolation', 'read committed', true), set_config('transaction_read_only', 'off', true)";

        static Beginning of(String limits, String statement) {
            return new Beginning(
                    PostgresSession.beginWith(limits + LEVEL) + ";\n" + statement,
                    ISOLATION + PostgresSession.beginWith(limits) + ";\n" + statement);
        }
    }

    /** The SQLSTATE, active_sql_transaction, of what can be set only before the first statement. */
    private static final String ACTIVE_TRANSACTION = "25001";

    /** The SQLSTATE, read_only_sql_transaction. */
    private static final String READ_ONLY = "25006";

    /** The SQLSTATE, unique_violation, of a key that the ledger has. */
    static final String KNOWN_KEY = "23505";

    /** The SQLSTATE, check_violation, of a row that no partition is for; also that of a constraint that refuses it. */
    static final String NO_PARTITION = "23514";

    /**
     * One key of a day that the ledger has, away from the engine. Nothing is inserted where it is known, or a unique index of
     * somebody's own refuses it: the one that names what decides tells these apart. Parameters: consumer, key.
     */
    static final String CLAIM_ONE_BY_HAND = """
            INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)
            VALUES (?, ?, clock_timestamp())
            ON CONFLICT DO NOTHING""";

    /** Behind it. Parameters: consumer, key. */
    static final String CLAIM_ONE_BY_HAND_BEHIND =
            CLAIM_ONE_BY_HAND.replace("ON CONFLICT DO", "ON CONFLICT (consumer_id, message_key) DO");

    /** The claim away from the engine. Parameters: consumer, keys. */
    static final String CLAIM_BY_HAND = """
            WITH h AS MATERIALIZED (
                SELECT oldest, newest FROM inbox_horizon
            ), i AS (
                INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)
                SELECT ?, u.k, clock_timestamp()
                FROM h, unnest(CAST(? AS uuid[])) AS u (k)
                WHERE u.k >= h.oldest AND (u.k < h.newest OR u.k >= 'ff000000-0000-0000-0000-000000000000')
                ON CONFLICT (consumer_id, message_key) DO NOTHING
                RETURNING message_key
            )
            SELECT h.oldest, h.newest, r.claimed, r.keys, false, %s
            FROM h, (SELECT count(*) AS claimed, CAST(array_agg(message_key) AS text) AS keys FROM i) AS r""".formatted(MILLIS);

    /** Parameters: consumer and keys, twice. */
    static final String KNOWN = """
            SELECT message_key FROM inbox_work WHERE consumer_id = ? AND message_key = ANY (CAST(? AS uuid[]))
            UNION
            SELECT message_key FROM inbox_dead_letter WHERE consumer_id = ? AND message_key = ANY (CAST(? AS uuid[]))""";

    /**
     * The keys that came with another payload before. Payloads are read for those keys only for which the ledger has no hash;
     * theirs is computed as PayloadHash does it. Parameters: keys, hashes, consumer, consumer, consumer.
     */
    static final String CONFLICTING = """
            SELECT u.k
            FROM unnest(CAST(? AS uuid[]), CAST(? AS uuid[])) AS u (k, hash)
            LEFT JOIN inbox_ledger AS l ON l.consumer_id = ? AND l.message_key = u.k
            WHERE CASE WHEN l.payload_hash IS NOT NULL THEN l.payload_hash <> u.hash ELSE (
                SELECT bool_and(u.hash <> CAST(encode(substr(sha256(coalesce(kept.payload, decode('01', 'hex'))), 1, 16), 'hex')
                    AS uuid))
                FROM (
                    SELECT w.payload FROM inbox_work AS w WHERE w.consumer_id = ? AND w.message_key = u.k
                    UNION ALL
                    SELECT d.payload
                    FROM inbox_dead_letter AS d
                    WHERE d.consumer_id = ? AND d.message_key = u.k AND d.reason <> 'BYTES_NOT_STORED'
                ) AS kept
            ) END""";

    static final String FIRST_SAVEPOINT = "SAVEPOINT pigeonhole";
    static final String NEXT_SAVEPOINT = "RELEASE SAVEPOINT pigeonhole; SAVEPOINT pigeonhole";
    static final String PREAMBLE_AND_SAVEPOINT = PREAMBLE + ";\n" + FIRST_SAVEPOINT;
    static final String ROLLBACK_TO_SAVEPOINT = "ROLLBACK TO SAVEPOINT pigeonhole";

    /** Undone at once, so that constraints are deferred again exactly as they were. */
    static final String CHECK_CONSTRAINTS = """
            SAVEPOINT pigeonhole_check;
            SET CONSTRAINTS ALL IMMEDIATE;
            ROLLBACK TO SAVEPOINT pigeonhole_check;
            RELEASE SAVEPOINT pigeonhole_check""";

    /** What constraints wait for until the commit they wait for before it, while the limit holds; their triggers run here. */
    static final String CONSTRAINTS = "SET CONSTRAINTS ALL IMMEDIATE";

    /** The beginning of a CASE that fails unless the transaction is ours and the session as it was. */
    static final String PROOF = """
            CASE WHEN current_setting('pigeonhole.session') = '' THEN set_config('server_version', '', true)
                WHEN NOT (%s) THEN %s""".formatted(PostgresSession.AS_BEFORE, PostgresSession.FAIL_AS_CHANGED);

    /**
     * The states that it fails with are such as a trigger of a deferred constraint, which runs in the same trip, does not
     * raise: those of names and tables were taken for ours, and the trigger's message stopped its inbox.
     *
     * <p>A COMMIT that waits for a standby must not be cancelled: it would be reported as done before the standby has it. Fails
     * with {@code 25P02} where a statement has failed unseen: COMMIT alone would answer ROLLBACK and no error. Fails with
     * {@link #NOT_OURS} where the setting is gone with the transaction that it was made in, and with
     * {@link PostgresSession#CHANGED} where a handler has changed the session unseen. Goes behind
     * {@link #CONSTRAINTS}.
     */
    static final String PROVE_AND_COMMIT = """
            SELECT %s END, set_config('statement_timeout', '0', true);
            COMMIT""".formatted(PROOF);

    /** Whether a {@link Beginning} failed because the session's transactions are read only, or of another isolation level. */
    static boolean beginsOtherwise(SQLException failure) {
        return ACTIVE_TRANSACTION.equals(failure.getSQLState()) || READ_ONLY.equals(failure.getSQLState());
    }

    /** A search of ours without the limit that handlers have, in one trip. */
    static String withoutHandlersLimit(String search) {
        return WITHOUT_HANDLERS_LIMIT.formatted(search);
    }

    /** The SQLSTATE, cant_change_runtime_param, of setting what no program can set. */
    static final String NOT_OURS = "55P02";

    /** The SQLSTATE of a savepoint that went with its transaction. */
    static final String NO_SUCH_SAVEPOINT = "3B001";

    /** Parameters: the columns of the message, with payload, attempts. */
    static final String RECORD = """
            INSERT INTO inbox_history (consumer_id, message_key, source, message_id, type, ordering_key, headers,
                content_type, payload, origin, with_payload, attempts, processed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp())""";

    private PostgresStatements() {}
}
