package io.pigeonhole.peers.outbox;

import io.pigeonhole.benchmarks.floor.Bank;
import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.jdbc.Schema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The database and the broker. */
record Ground(DatabaseServer server, EmbeddedKafka broker, Bank bank) {
    static Ground of(DatabaseServer server, EmbeddedKafka broker) throws SQLException {
        Bank bank = Bank.of(server);
        bank.create();
        Schema.apply(server.dataSource());
        return new Ground(server, broker, bank);
    }

    /** Empties all tables and makes the server's state the same again. */
    void reset(List<String> tables) throws SQLException {
        if (!tables.isEmpty()) {
            try (Connection connection = server.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("TRUNCATE " + String.join(", ", tables));
            }
        }
        bank.reset();
    }

    long ask(String sql) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    CpuTime cpuTime() throws SQLException {
        return server.cpuTime();
    }
}
