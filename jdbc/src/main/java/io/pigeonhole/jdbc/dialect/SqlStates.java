package io.pigeonhole.jdbc.dialect;

import static io.pigeonhole.core.failure.ErrorClass.ABORTED;
import static io.pigeonhole.core.failure.ErrorClass.MESSAGE;
import static io.pigeonhole.core.failure.ErrorClass.PERMANENT;
import static io.pigeonhole.core.failure.ErrorClass.RETRY_NOW;
import static io.pigeonhole.core.failure.ErrorClass.UNAVAILABLE;
import static io.pigeonhole.core.failure.ErrorClass.UNKNOWN;
import static java.util.Map.entry;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.jdbc.sql.Errors;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The one table of what the SQLSTATEs of PostgreSQL mean. Never the text of an error, never the class of a driver. */
public final class SqlStates {
    /** A state of five characters goes before its class of two. */
    public static final Map<String, ErrorClass> TABLE = Map.ofEntries(
            entry("40001", RETRY_NOW), // serialization_failure
            entry("40P01", RETRY_NOW), // deadlock_detected
            entry("55P03", RETRY_NOW), // lock_not_available
            entry("25P02", ABORTED), // in_failed_sql_transaction
            entry("25006", UNAVAILABLE), // read_only_sql_transaction: this server is no primary any more
            entry(
                    "25P03",
                    ABORTED), // idle_in_transaction_session_timeout: somebody stayed away too long, maybe somebody else
            entry("25P04", ABORTED), // transaction_timeout, of PostgreSQL 17: the same
            entry("57014", MESSAGE), // query_canceled: statement_timeout
            entry("57P01", UNAVAILABLE), // admin_shutdown
            entry("57P02", UNAVAILABLE), // crash_shutdown
            entry("57P03", UNAVAILABLE), // cannot_connect_now
            entry("57P05", UNAVAILABLE), // idle_session_timeout
            entry("08", UNAVAILABLE), // connection exceptions
            entry("28", UNAVAILABLE), // the server lets nobody in
            entry("53", UNAVAILABLE), // insufficient resources: disk, memory, connections
            entry("58", UNAVAILABLE), // system errors
            entry("21", MESSAGE), // cardinality violations
            entry("22", PERMANENT), // data exceptions: the same bytes will fail again
            entry("23", MESSAGE), // integrity constraints: the row that is missed may come
            entry("42", MESSAGE), // syntax error or access rule: a deployment may mend it
            entry("54", MESSAGE), // program limits: an index entry that is too large, say
            entry("P0", MESSAGE)); // raised by a function

    /** The same for those who ask any database. */
    public static final Errors ERRORS = new Errors() {
        @Override
        public ErrorClass classOf(SQLException failure) {
            return SqlStates.classOf(failure.getSQLState());
        }

        @Override
        public boolean leavesCommitOpen(SQLException failure) {
            return SqlStates.leavesCommitOpen(failure);
        }

        @Override
        public boolean endsConnection(SQLException failure) {
            return SqlStates.endsConnection(failure);
        }

        @Override
        public boolean isFull(SQLException failure) {
            String state = failure.getSQLState();
            return "53100".equals(state) || "58030".equals(state); // disk_full, io_error
        }

        @Override
        public boolean isLockTimeout(SQLException failure) {
            return "55P03".equals(failure.getSQLState());
        }
    };

    private SqlStates() {}

    /** What a state means; UNKNOWN for null and for what the table does not have. */
    static ErrorClass classOf(@Nullable String state) {
        if (state == null || state.length() != 5) {
            return UNKNOWN;
        }
        ErrorClass exact = TABLE.get(state);
        return exact != null ? exact : TABLE.getOrDefault(state.substring(0, 2), UNKNOWN);
    }

    /** What an error means; the outermost of its causes that says something decides. */
    public static ErrorClass classify(Throwable failure) {
        return ERRORS.classify(failure);
    }

    /** Whether the same may succeed at once. */
    static boolean isTransient(SQLException failure) {
        return classify(failure) == RETRY_NOW;
    }

    /** Whether an error of COMMIT leaves it open what became of the transaction. */
    public static boolean leavesCommitOpen(SQLException failure) {
        String state = failure.getSQLState();
        return state == null || state.startsWith("08") || state.startsWith("57P0");
    }

    /** Whether the connection is of no use any more after this error. */
    public static boolean endsConnection(SQLException failure) {
        String state = failure.getSQLState();
        return state == null
                || state.startsWith("08")
                || state.startsWith("57P0")
                || state.equals("25P03")
                || state.equals("25P04");
    }
}
