package io.pigeonhole.jdbc.admin;

import io.pigeonhole.jdbc.sql.Errors;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.util.Optional;

/** What people do with the database. Safe for use by many threads. */
public final class AdminDatabase {
    private final ShortTransactions transactions;

    public AdminDatabase(ShortTransactions transactions) {
        this.transactions = transactions;
    }

    /** Ends the repetition of {@link ShortTransactions#run}, which would wait several times. */
    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Busy(SQLException cause) {
            super(cause);
        }
    }

    /** What its errors mean. */
    Errors errors() {
        return transactions.errors();
    }

    /** Looks at rows, all of them as they are at one moment. */
    public <T> T look(String what, ShortTransactions.Work<T> work) {
        return transactions.read("to read " + what, work);
    }

    /** Changes rows; empty where it waited in vain for a lock, and nothing was changed. */
    public <T> Optional<T> change(String doing, ShortTransactions.Work<T> work) {
        try {
            return Optional.of(transactions.run(doing, session -> {
                try {
                    return work.run(session);
                } catch (SQLException e) {
                    if (transactions.isLockTimeout(e)) {
                        throw new Busy(e);
                    }
                    throw e;
                }
            }));
        } catch (Busy e) {
            return Optional.empty();
        }
    }
}
