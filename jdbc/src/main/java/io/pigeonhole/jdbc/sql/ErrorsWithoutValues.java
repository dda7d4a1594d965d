package io.pigeonhole.jdbc.sql;

import java.io.IOException;
import java.sql.BatchUpdateException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What drivers say, without the values of parameters: they repeat statements with them, rows that were refused, and whole
 * payloads, which belong neither into a log nor into another exception's text. The first line of what the database itself said
 * says what is wrong; it is bounded.
 */
public final class ErrorsWithoutValues {
    private static final int LONGEST = 300;
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private ErrorsWithoutValues() {}

    /** The first line of the error itself; of a batch, of the error of the entry that was refused. */
    static String text(SQLException failure) {
        SQLException said = said(failure);
        return said instanceof BatchUpdateException
                ? "a batch was refused"
                : bounded(String.valueOf(said.getMessage()));
    }

    /** The same error, if its text is short, or else a copy of it with that text, at most one cause and no other errors. */
    public static SQLException of(SQLException failure) {
        if (isQuiet(failure)) {
            return failure;
        }
        SQLException copy = copy(said(failure), text(failure), failure.getSQLState(), failure.getErrorCode());
        copy.setStackTrace(failure.getStackTrace());
        if (failure.getCause() instanceof IOException cause) {
            copy.initCause(cause);
        }
        return copy;
    }

    private static SQLException said(SQLException failure) {
        if (!(failure instanceof BatchUpdateException)) {
            return failure;
        }
        SQLException next = failure.getNextException();
        if (next == null && failure.getCause() instanceof SQLException cause) {
            next = cause;
        }
        return next == null ? failure : next;
    }

    private static boolean isQuiet(@Nullable Throwable failure) {
        if (failure == null || failure instanceof IOException) {
            return true;
        }
        if (!(failure instanceof SQLException sql) || failure instanceof BatchUpdateException) {
            return false;
        }
        String text = String.valueOf(sql.getMessage());
        return text.equals(bounded(text))
                && sql.getNextException() == null
                && (sql.getCause() == null || sql.getCause() instanceof IOException);
    }

    /** SQL in quotes, on one line. */
    public static String quoted(String sql) {
        return "«" + bounded(BLANKS.matcher(sql).replaceAll(" ")) + "»";
    }

    public static String bounded(String text) {
        int end = text.indexOf('\n');
        String line = end < 0 ? text : text.substring(0, end).strip();
        return line.length() <= LONGEST
                ? line
                : String.format(Locale.ROOT, "%s… (%d characters)", line.substring(0, LONGEST), line.length());
    }

    /** Of the same kind as far as JDBC knows kinds, because somebody may react to that. */
    private static SQLException copy(SQLException kind, String text, @Nullable String state, int code) {
        if (kind instanceof SQLIntegrityConstraintViolationException) {
            return new SQLIntegrityConstraintViolationException(text, state, code);
        }
        if (kind instanceof SQLDataException) {
            return new SQLDataException(text, state, code);
        }
        if (kind instanceof SQLTransactionRollbackException) {
            return new SQLTransactionRollbackException(text, state, code);
        }
        if (kind instanceof SQLTimeoutException) {
            return new SQLTimeoutException(text, state, code);
        }
        if (kind instanceof SQLTransientConnectionException) {
            return new SQLTransientConnectionException(text, state, code);
        }
        if (kind instanceof SQLNonTransientConnectionException) {
            return new SQLNonTransientConnectionException(text, state, code);
        }
        if (kind instanceof SQLRecoverableException) {
            return new SQLRecoverableException(text, state, code);
        }
        return new SQLException(text, state, code);
    }
}
