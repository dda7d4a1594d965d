package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.transaction.LongWrites;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a handler may change about its session on PostgreSQL, and what is put back behind it: who the session is, where it
 * looks for names, how long it waits, how durable its commit is. The transaction keeps what they were at its beginning in a
 * setting of its own.
 *
 * <p>A change that stands in a handler's SQL is seen there, and undone before the next statement of ours and the next
 * handler. One that a function hides is found at the commit, which then fails; the messages run once more, isolated, and
 * everything is put back behind each. From then on the store expects it, and puts back behind every handler.
 */
public final class PostgresSession {
    /** Stands between the values in a text of settings; a value that has it itself, such as a role's name, is not put back. */
    private static final String SEPARATOR = "E'\\x1f'";

    /** What handlers may change, as one text. */
    public static final String NOW = """
            concat_ws(%s, current_setting('session_authorization'), current_setting('role'), current_setting('search_path'),
                current_setting('row_security'), current_setting('statement_timeout'), current_setting('lock_timeout'),
                current_setting('synchronous_commit'), current_setting('idle_in_transaction_session_timeout'))""".formatted(SEPARATOR);

    /** What the session has of the settings that the engine changes; it stands behind {@link #NOW} in what is kept. */
    private static final String BEFORE = """
            concat_ws(%s, current_setting('idle_in_transaction_session_timeout'), current_setting('synchronous_commit'),
                current_setting('lock_timeout'), current_setting('statement_timeout'))""".formatted(SEPARATOR);

    private static final String STATEMENT_TIMEOUT = kept(5);
    private static final String IDLE_LIMIT_BEFORE = kept(9);
    private static final String SYNCHRONOUS_COMMIT_BEFORE = kept(10);
    static final String LOCK_TIMEOUT_AS_BEFORE = "set_config('lock_timeout', " + kept(11) + ", true)";
    static final String STATEMENT_TIMEOUT_BEFORE = kept(12);

    /** The handlers' limit again. */
    static final String HANDLERS_LIMIT = "set_config('statement_timeout', " + STATEMENT_TIMEOUT + ", true)";

    /** {@link #BEGIN}. Formatted with: what else is to be set. */
    private static final String SETTINGS = """
            SELECT set_config('idle_in_transaction_session_timeout', ?, true),
                   CASE WHEN current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')
                       THEN set_config('synchronous_commit', 'on', true) END,
                   CASE WHEN current_setting('statement_timeout') = '0' THEN set_config('statement_timeout', ?, true) END,
                   CASE WHEN current_setting('transaction_timeout', true) <> '0'
                       THEN set_config('transaction_timeout', '0', true) END,
                   set_config('pigeonhole.session', concat_ws(%1$s, %2$s, b.v), true)%%s
            FROM (SELECT %3$s AS v OFFSET 0) AS b""".formatted(SEPARATOR, NOW, BEFORE);

    /**
     * At the beginning of a transaction: what handlers find then is kept, with what the session had before of the settings that
     * the engine changes, in a setting of ours that lives as long as the transaction. A synchronous_commit that promises more than
     * "on" stays. A statement has its limit unless somebody has set another one. A transaction_timeout, which PostgreSQL knows
     * since version 17, would end a batch whose messages each keep their limits, and does not hold.
     * Parameters: how long the transaction may be idle, how long a statement may take.
     */
    static final String BEGIN = beginWith("");

    /** Whether they are what they were; without a transaction of ours there is nothing to compare with. */
    static final String AS_BEFORE = """
            (current_setting('pigeonhole.session') = ''
                OR starts_with(current_setting('pigeonhole.session'), %s || %s))""".formatted(NOW, SEPARATOR);

    /** Refused with {@link #CHANGED} in every transaction that has read something. */
    static final String FAIL_AS_CHANGED = "set_config('transaction_isolation', 'serializable', true)";

    /** The SQLSTATE, active_sql_transaction, which a trigger has no way to raise but one that fails always. */
    static final String CHANGED = "25001";

    /** The SQLSTATE, insufficient_privilege, of a statement of ours in the name of a role that a handler took. */
    static final String NO_RIGHT = "42501";

    /**
     * Puts them back. Who the session is comes first, because it takes the role along. What a handler has set for the whole
     * session is undone for the whole session; what the engine has set is for the transaction.
     */
    static final String RESTORE =
            """
            SELECT CASE WHEN current_setting('session_authorization') <> s.v[1]
                        THEN set_config('session_authorization', s.v[1], false) END,
                   CASE WHEN current_setting('role') <> s.v[2] THEN set_config('role', s.v[2], false) END,
                   CASE WHEN current_setting('search_path') <> s.v[3] THEN set_config('search_path', s.v[3], false) END,
                   CASE WHEN current_setting('row_security') <> s.v[4] THEN set_config('row_security', s.v[4], false) END,
                   CASE WHEN current_setting('statement_timeout') <> s.v[5]
                        THEN set_config('statement_timeout', %3$s, false) END,
                   set_config('statement_timeout', s.v[5], true),
                   CASE WHEN current_setting('lock_timeout') <> s.v[6] THEN set_config('lock_timeout', s.v[6], false) END,
                   CASE WHEN current_setting('synchronous_commit') <> s.v[7]
                        THEN set_config('synchronous_commit', %2$s, false) END,
                   set_config('synchronous_commit', s.v[7], true),
                   CASE WHEN current_setting('idle_in_transaction_session_timeout') <> s.v[8]
                        THEN set_config('idle_in_transaction_session_timeout', %1$s, false) END,
                   set_config('idle_in_transaction_session_timeout', s.v[8], true)
            FROM (SELECT string_to_array(nullif(current_setting('pigeonhole.session'), ''), %4$s) AS v OFFSET 0) AS s
            WHERE s.v IS NOT NULL""".formatted(IDLE_LIMIT_BEFORE, SYNCHRONOUS_COMMIT_BEFORE, STATEMENT_TIMEOUT_BEFORE, SEPARATOR);

    /** Whether a handler has changed them. */
    static final String IS_CHANGED = "SELECT NOT (" + AS_BEFORE + ")";

    /** Longer than it takes until the same messages are handed in again. */
    private static final Duration CONSTRAINTS_FIRST = Duration.ofMinutes(15);

    private final AtomicBoolean expected = new AtomicBoolean();
    private final AtomicBoolean atCommit = new AtomicBoolean();
    private final AtomicBoolean beginsOtherwise = new AtomicBoolean();
    private final LongWrites longWrites = new LongWrites();
    private final AtomicReference<@Nullable Long> constraintsUntil = new AtomicReference<>();

    private static String kept(int place) {
        return "split_part(current_setting('pigeonhole.session'), " + SEPARATOR + ", " + place + ")";
    }

    /** {@link #BEGIN} with more to set behind it. */
    static String beginWith(String more) {
        return SETTINGS.formatted(more);
    }

    /** Whether handlers of this store are known to change their session where nobody sees it. */
    boolean isChangeExpected() {
        return expected.get();
    }

    void expectChanges() {
        expected.set(true);
    }

    /** Whether triggers of deferred constraints are known to, or may do so; what they change is put back in the commit's trip. */
    boolean isChangeExpectedAtCommit() {
        return atCommit.get() || expected.get();
    }

    void expectChangesAtCommit() {
        atCommit.set(true);
    }

    /** Whether the sessions' transactions are taken to begin as the engine's do, read committed and read write. */
    boolean beginsAsOurs() {
        return !beginsOtherwise.get();
    }

    /** They do not, which costs a statement more for each. */
    void setBeginsOtherwise() {
        beginsOtherwise.set(true);
    }

    /** What is known of the store's own writes. */
    LongWrites longWrites() {
        return longWrites;
    }

    /**
     * Whether a commit met an error as of a lost connection a short while ago. A trigger of a deferred constraint can raise
     * the same, and what a driver and a pool make of it does not tell the two apart. In a trip of their own, before COMMIT is
     * sent, constraints fail with a known outcome.
     */
    boolean areConstraintsCheckedBeforeCommit() {
        Long until = constraintsUntil.get();
        return until != null && until - System.nanoTime() > 0;
    }

    void checkConstraintsBeforeCommit() {
        constraintsUntil.set(System.nanoTime() + CONSTRAINTS_FIRST.toNanos());
    }
}
