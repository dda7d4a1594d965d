package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A pool whose connections are read-only by default, and a framework that begins and ends the transactions on them. */
@Tag("F53")
class ReadOnlyPoolIT {
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void workLeavesNothingInTheLedgerAndNoSettingInTheSession(DatabaseServer server) throws SQLException {
        HikariConfig config = new HikariConfig();
        try (Workshop workshop = server.schema()) {
            config.setDataSource(workshop.dataSource());
            config.setReadOnly(true);
            config.setMaximumPoolSize(1);
            try (HikariDataSource pool = new HikariDataSource(config)) {
                long connectionBefore = ask(pool, "SELECT connection_id()");
                long limitBefore = ask(pool, "SELECT @@idle_transaction_timeout");
                Inbox<JdbcContext> inbox = Inbox.builder(
                                "read-only",
                                JdbcStore.builder(pool)
                                        .transactions(new ThreadBoundTransactions(pool))
                                        .build())
                        .handle(
                                "note",
                                PayloadDecoder.text(),
                                (payload, context) -> context.defer("INSERT INTO effect (text) VALUES (?)", payload))
                        .build();
                for (int i = 0; i < 5; i++) {
                    inbox.receive(Message.builder("notes")
                            .id("" + i)
                            .type("note")
                            .payload("" + i)
                            .build());
                    assertThat(inbox.work()).isEqualTo(1);
                }

                assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text"))
                        .containsExactly("0", "1", "2", "3", "4");
                assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("5");
                assertThat(ask(pool, "SELECT @@idle_transaction_timeout")).isEqualTo(limitBefore);
                assertThat(ask(pool, "SELECT connection_id()")).isEqualTo(connectionBefore);
            }
        }
    }

    private static long ask(HikariDataSource pool, String question) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(question)) {
            row.next();
            return row.getLong(1);
        }
    }
}
