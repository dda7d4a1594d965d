package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.dialect.MariaDb;
import io.pigeonhole.jdbc.generic.PlainBoundary;
import io.pigeonhole.jdbc.generic.PlainSession;
import io.pigeonhole.jdbc.retention.RetentionStatement;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the store does by itself goes on where somebody was in its way for a moment. */
class RepeatedTransactionIT {
    /** Without pipelining, Connector/J tells what was in the way of a batch by the cause of its error only. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&disablePipeline=true"})
    void batchThatWaitedInVainIsTriedAgain(String parameters) throws SQLException {
        try (Workshop workshop = MariaDbServers.embedded().schema();
                Connection somebody = workshop.dataSource().getConnection();
                Statement statement = somebody.createStatement()) {
            for (int i = 0; i < 2; i++) {
                workshop.execute("INSERT INTO inbox_audit (at, who, reason, action, consumer, detail, affected)"
                        + " VALUES (UTC_TIMESTAMP(6), 'ann', 'a test', 'PAUSE', 'c', '', 1)");
            }
            List<Long> ids = workshop.askAll("SELECT id FROM inbox_audit").stream()
                    .map(Long::valueOf)
                    .toList();
            somebody.setAutoCommit(false);
            statement.execute("UPDATE inbox_audit SET affected = 2 WHERE id = " + ids.get(1));
            AtomicInteger runs = new AtomicInteger();

            ConnectionSource connections = ConnectionSource.of(workshop.dataSource(parameters));
            ShortTransactions transactions = PlainBoundary.transactions(connections, new MariaDb());
            long deleted = transactions.run("to delete rows for a test", session -> {
                if (runs.incrementAndGet() == 2) {
                    somebody.rollback();
                }
                return PlainSession.of(session).each(RetentionStatement.FORGET_AUDIT, ids);
            });

            assertThat(deleted).isEqualTo(2);
            assertThat(runs).hasValue(2);
        }
    }
}
