package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One thing that cannot be forgotten, on MariaDB, stops nothing else. */
@Tag("D5")
class PlainStuckUpkeepIT {
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void rowsThatATriggerDoesNotLetGoStopNothingElse(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            workshop.execute(
                    "INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms,"
                            + " error_class, message, stack) VALUES (1, x'01', 1, 'n', '2020-01-01', 1, '', '', '')");
            workshop.execute("INSERT INTO inbox_audit (at, who, reason, action, consumer, detail, affected)"
                    + " VALUES ('2020-01-01', 'ann', 'a test', 'PAUSE', 'c', '', 1)");
            workshop.execute("CREATE TRIGGER kept BEFORE DELETE ON inbox_attempt FOR EACH ROW"
                    + " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'kept for the auditors'");

            while (store.retire().more()) {
                // The next piece.
            }

            assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("1");
            assertThat(workshop.ask("SELECT count(*) FROM inbox_audit")).isEqualTo("0");
        }
    }
}
