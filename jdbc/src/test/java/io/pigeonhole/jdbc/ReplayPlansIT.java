package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.postgresql.PostgresDatabase;
import io.pigeonhole.jdbc.sql.ReplayStatement;
import io.pigeonhole.jdbc.sql.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a batch of a replay touches of a long history. */
@OnEveryServer
class ReplayPlansIT {
    private static final int MESSAGES = 100_000;
    private static final int BATCH = 500;
    private static final Pattern BUFFERS = Pattern.compile("\"Shared (?:Hit|Read) Blocks\": (\\d+)");
    private static final Pattern PARAMETER = Pattern.compile("\\?");

    private final Workshop workshop;
    private final RegisteredConsumer consumer;

    ReplayPlansIT(PostgresServer server) {
        this.workshop = server.schema();
        this.consumer = JdbcStore.create(workshop.dataSource())
                .register(new ConsumerRegistration("plans", IdForm.TIME_ORDERED));
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void aBatchTouchesWhatItLooksThroughWhateverIsFiltered() throws SQLException {
        workshop.execute("""
                INSERT INTO inbox_history (consumer_id, message_key, source, message_id, type, headers, payload, with_payload,
                    attempts, processed_at)
                SELECT CAST(? AS smallint), gen_random_uuid(), 'orders', convert_to('id ' || n, 'UTF8'), 'order',
                    '\\x0100000000', convert_to(repeat('x', 200), 'UTF8'), true, 1, clock_timestamp()
                FROM generate_series(1, CAST(? AS integer)) AS n""", consumer.id(), MESSAGES);
        workshop.execute("VACUUM (ANALYZE) inbox_history");

        for (String mode : new String[] {"force_custom_plan", "force_generic_plan"}) {
            for (int position : new int[] {0, MESSAGES / 2}) {
                assertCheap(mode, position, "NULL");
                assertCheap(mode, position, "'order'");
                assertCheap(mode, position, "'nobody'");
            }
        }
    }

    private void assertCheap(String mode, int position, String type) throws SQLException {
        try (Connection connection = workshop.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET plan_cache_mode = " + mode);
            statement.execute("PREPARE batch AS "
                    + numbered(new Statements(PostgresDatabase.STATEMENTS)
                            .get(ReplayStatement.READ)
                            .text(1)
                            .sql()));
            try (ResultSet row = statement.executeQuery(
                    "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE batch(%d, %d, %d, %s, NULL, NULL, '-infinity', 'infinity', %d)"
                            .formatted(consumer.id(), position, MESSAGES, type, BATCH))) {
                row.next();
                String plan = row.getString(1);
                assertThat(touched(plan))
                        .as("%s at %d of type %s touches buffers: %s", mode, position, type, plan)
                        .isLessThanOrEqualTo(200);
            }
        }
    }

    private static String numbered(String sql) {
        int[] number = {0};
        return PARAMETER.matcher(sql).replaceAll(parameter -> "\\$" + ++number[0]);
    }

    /** Of the whole plan, which its first node tells. */
    private static int touched(String plan) {
        return BUFFERS.matcher(plan)
                .results()
                .limit(2)
                .map((MatchResult match) -> match.group(1))
                .mapToInt(Integer::parseInt)
                .sum();
    }
}
