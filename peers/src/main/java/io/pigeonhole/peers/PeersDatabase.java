package io.pigeonhole.peers;

import io.pigeonhole.benchmarks.floor.Bank;
import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.InvariantBrokenException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The database before and after a measurement. */
final class PeersDatabase {
    private static final String LEDGER =
            "SELECT count(*), (SELECT count(*) FROM inbox_work) + (SELECT count(*) FROM inbox_dead_letter) FROM inbox_ledger";

    private final DatabaseServer server;
    private final Bank bank;
    private final List<String> tablesOfPeers = new ArrayList<>();

    PeersDatabase(DatabaseServer server) throws SQLException {
        this.server = server;
        this.bank = Bank.of(server);
        bank.create();
    }

    /** These tables are emptied too. */
    void add(List<String> tables) {
        tablesOfPeers.addAll(tables);
    }

    /** Empties all tables and makes the server's state the same again. */
    void reset() throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("TRUNCATE " + String.join(", ", tablesOfPeers));
        }
        bank.reset();
    }

    CpuTime cpuTime() throws SQLException {
        return server.cpuTime();
    }

    /** What is wrong with what a variant left, null if nothing is. */
    @Nullable
    String violation(PeerVariant variant) throws SQLException {
        try {
            bank.audit(variant.name(), variant.expected());
        } catch (InvariantBrokenException e) {
            return e.getMessage();
        }
        return variant.isPigeonhole() ? violationOfLedger(variant) : null;
    }

    private @Nullable String violationOfLedger(PeerVariant variant) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(LEDGER)) {
            row.next();
            long messages = variant.workload().unique();
            return row.getLong(1) == messages && row.getLong(2) == 0
                    ? null
                    : variant.name() + " left " + row.getLong(1) + " ledger rows for " + messages + " messages, and "
                            + row.getLong(2) + " failed messages";
        }
    }
}
