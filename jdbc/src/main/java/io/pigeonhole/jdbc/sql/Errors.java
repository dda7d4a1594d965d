package io.pigeonhole.jdbc.sql;

import static io.pigeonhole.core.failure.ErrorClass.MESSAGE;
import static io.pigeonhole.core.failure.ErrorClass.PERMANENT;
import static io.pigeonhole.core.failure.ErrorClass.UNAVAILABLE;
import static io.pigeonhole.core.failure.ErrorClass.UNKNOWN;

import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** What the errors of one kind of database mean. Never the text of an error, never the class of a driver. */
public interface Errors {
    /** Data, constraints, limits of a program, errors that a function raises (PostgreSQL; MariaDB). */
    Set<String> OF_DATA = Set.of("21", "22", "23", "54", "P0", "45");

    /** What one error means by its SQLSTATE and the vendor's code; UNKNOWN where nothing is known of them. */
    ErrorClass classOf(SQLException failure);

    /** Whether an error of COMMIT leaves it open what became of the transaction. */
    boolean leavesCommitOpen(SQLException failure);

    /** Whether the connection is of no use any more after this error. */
    boolean endsConnection(SQLException failure);

    /** Whether a statement waited in vain for another transaction. */
    boolean isLockTimeout(SQLException failure);

    /** Whether a statement cannot be sent for many rows at once, although it can be for one; nothing of the batch was done. */
    default boolean refusesBatch(SQLException failure) {
        return false;
    }

    /** Whether it says that the disk is full, or cannot be written. */
    boolean isFull(SQLException failure);

    /** What an error means; the outermost of its causes that says something decides. */
    default ErrorClass classify(Throwable failure) {
        boolean fromDatabase = false;
        for (Throwable cause : Causes.of(failure)) {
            ErrorClass found = saidBy(cause);
            if (found != UNKNOWN) {
                return found;
            }
            fromDatabase |= cause instanceof SQLException || cause instanceof StoreException;
        }
        return fromDatabase ? UNKNOWN : MESSAGE;
    }

    /**
     * The same for a statement of the inbox itself. What is in a message can only violate what columns, indexes and triggers
     * take; a right or a table that is missing, or a statement that was cancelled, is no message's fault.
     */
    default ErrorClass classifyOwn(SQLException failure) {
        ErrorClass found = classify(failure);
        String state = failure.getSQLState();
        boolean ofData = state != null && state.length() == 5 && OF_DATA.contains(state.substring(0, 2));
        return found == MESSAGE && !ofData ? UNKNOWN : found;
    }

    /** An exception of the application's own may throw where it is asked. */
    private ErrorClass saidBy(Throwable cause) {
        try {
            return of(cause);
        } catch (RuntimeException | StackOverflowError e) {
            return UNKNOWN;
        }
    }

    private ErrorClass of(Throwable cause) {
        if (cause instanceof StoreException refused) {
            return refused.errorClass();
        }
        if (cause instanceof PermanentFailure) {
            return PERMANENT;
        }
        if (cause instanceof StoreUnavailableException) {
            return UNAVAILABLE;
        }
        return cause instanceof SQLException sql ? ofSql(sql) : UNKNOWN;
    }

    private ErrorClass ofSql(SQLException failure) {
        boolean connection = failure instanceof SQLTransientConnectionException
                || failure instanceof SQLNonTransientConnectionException
                || failure instanceof SQLRecoverableException;
        ErrorClass byCode = classOf(failure);
        return byCode == UNKNOWN && connection ? UNAVAILABLE : byCode;
    }
}
