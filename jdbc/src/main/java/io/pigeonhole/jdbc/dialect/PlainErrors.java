package io.pigeonhole.jdbc.dialect;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.jdbc.sql.Errors;
import java.sql.SQLException;

/** The errors of a database as its dialect classifies them. */
public record PlainErrors(Dialect dialect) implements Errors {
    @Override
    public ErrorClass classOf(SQLException failure) {
        return dialect.classOf(failure);
    }

    @Override
    public boolean leavesCommitOpen(SQLException failure) {
        return dialect.isConnectionLost(failure);
    }

    @Override
    public boolean endsConnection(SQLException failure) {
        return dialect.isConnectionLost(failure);
    }

    @Override
    public boolean isFull(SQLException failure) {
        return dialect.isFull(failure);
    }

    @Override
    public boolean isLockTimeout(SQLException failure) {
        return dialect.isLockTimeout(failure);
    }

    @Override
    public boolean refusesBatch(SQLException failure) {
        return dialect.refusesBatch(failure);
    }
}
