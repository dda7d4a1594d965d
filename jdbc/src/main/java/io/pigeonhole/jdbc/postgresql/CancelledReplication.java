package io.pigeonhole.jdbc.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import org.jspecify.annotations.Nullable;

/**
 * The warning of a COMMIT that was cancelled while it waited for a synchronous standby: the transaction is committed on this server, and
 * maybe not on the standby. Its SQLSTATE is that of every warning and its text may be in any language, so that the routine of the server
 * that raised it decides. PostgreSQL's driver has that in a method of its own.
 */
final class CancelledReplication {
    private static final String WARNING = "01000";

    /** Of syncrep.c, since PostgreSQL 9.1. */
    private static final String ROUTINE = "SyncRepWaitForLSN";

    private CancelledReplication() {}

    /** Where a statement or a connection has its warnings; read without a round trip. */
    @FunctionalInterface
    interface Warnings {
        @Nullable
        SQLWarning get() throws SQLException;
    }

    /** The warning among these, which may be those of triggers as well; null where it is not there. */
    static @Nullable SQLWarning find(Warnings warnings) {
        try {
            SQLWarning warning = warnings.get();
            while (warning != null && !isOfWait(warning)) {
                warning = warning.getNextWarning();
            }
            return warning;
        } catch (SQLException e) {
            // Something has closed it behind the COMMIT, which has succeeded.
            return null;
        }
    }

    /** Forgets that of an earlier COMMIT on this connection, which not every pool does. */
    static void forget(Connection connection) {
        try {
            if (connection.getWarnings() != null) {
                connection.clearWarnings();
            }
        } catch (SQLException e) {
            // It is closed, which the COMMIT is to say.
            return;
        }
    }

    private static boolean isOfWait(SQLWarning warning) {
        return WARNING.equals(warning.getSQLState()) && ROUTINE.equals(routineOf(warning));
    }

    private static @Nullable Object routineOf(SQLWarning warning) {
        try {
            Object said = warning.getClass().getMethod("getServerErrorMessage").invoke(warning);
            return said == null ? null : said.getClass().getMethod("getRoutine").invoke(said);
        } catch (ReflectiveOperationException e) {
            // Of a pool or of another driver.
            return null;
        }
    }
}
