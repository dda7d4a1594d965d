package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.suite.InvariantBrokenException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/**
 * The business: accounts with balances, and a ledger of effects, which has no unique constraint, so that an effect that
 * comes twice shows.
 */
public final class Bank {
    /** The first statement of the business logic: amount, account. */
    static final String CREDIT = "UPDATE account SET balance = balance + ? WHERE id = ?";

    /** The second one: payment, account, amount. */
    static final String RECORD = "INSERT INTO effect (payment, account, amount) VALUES (?, ?, ?)";

    private static final String BOOKS = """
            SELECT (SELECT sum(balance) FROM account), count(*), count(DISTINCT payment), coalesce(sum(amount), 0)
              FROM effect
            """;

    private final DataSource dataSource;
    private final FloorStatements statements;

    Bank(DataSource dataSource, FloorStatements statements) {
        this.dataSource = dataSource;
        this.statements = statements;
    }

    /** The bank in a server's database. */
    public static Bank of(DatabaseServer server) {
        return new Bank(server.dataSource(), FloorStatements.of(server.product()));
    }

    /** Creates all tables of the suite but those of Pigeonhole. */
    public void create() throws SQLException {
        execute(statements.createTables());
    }

    /** Empties all tables of the suite, these and those of the inboxes, and makes the server's state the same again. */
    public void reset() throws SQLException {
        execute(statements.reset());
    }

    /**
     * Checks balances and effects: as many as there should be, none twice that should be there once.
     *
     * @param who the variant that was measured
     * @param expected what it should have left
     * @throws InvariantBrokenException if it left something else
     */
    public void audit(String who, Expected expected) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet books = statement.executeQuery(BOOKS)) {
            books.next();
            Expected found = new Expected(books.getLong(2), books.getLong(3), books.getLong(1));
            if (!found.equals(expected) || books.getLong(4) != expected.balance()) {
                throw new InvariantBrokenException(who + " left " + found + " and amounts that sum up to "
                        + books.getLong(4) + ", it should have left " + expected);
            }
        }
    }

    private void execute(List<String> all) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : all) {
                statement.execute(sql);
            }
        }
    }

    /**
     * What the books should say.
     *
     * @param effects rows in the ledger of effects
     * @param payments different payments among them
     * @param balance the sum of all balances, and of the amounts of the effects
     */
    public record Expected(long effects, long payments, long balance) {
        /** Each delivery takes effect, duplicates too. */
        public static Expected everyDelivery(Workload workload) {
            return new Expected(workload.deliveries(), workload.unique(), workload.sumOverDeliveries());
        }

        /** Each message takes effect once. */
        public static Expected everyMessageOnce(Workload workload) {
            return new Expected(workload.unique(), workload.unique(), workload.sumOverUnique());
        }
    }
}
