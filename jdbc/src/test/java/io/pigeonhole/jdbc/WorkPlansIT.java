package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.postgresql.DueHints;
import io.pigeonhole.jdbc.postgresql.PostgresDatabase;
import io.pigeonhole.jdbc.postgresql.PostgresWorkPartitionStatement;
import io.pigeonhole.jdbc.postgresql.PostgresWorkStatement;
import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the statements of workers touch where 500 of a million messages are due. */
@OnEveryServer
@Tag("full")
class WorkPlansIT {
    private static final int WAITING = 1_000_000;
    private static final long ROOM = 16L << 20;
    private static final int DUE = 500;
    private static final Pattern BUFFERS = Pattern.compile("\"Shared (?:Hit|Read) Blocks\": (\\d+)");

    private final Workshop workshop;
    private final JdbcStore store;

    WorkPlansIT(PostgresServer server) {
        this.workshop = server.schema();
        this.store = JdbcStore.create(workshop.dataSource());
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void whatWaitsCostsNothing() throws SQLException {
        RegisteredConsumer plain = register(KeyOrder.NONE);
        RegisteredConsumer ordered = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        fill(plain, WAITING / 2, 1);
        fill(ordered, WAITING / 2, 10);
        // As it will be sooner or later: from then on whoever locks a row looks into the visibility map, too.
        workshop.execute("VACUUM (ANALYZE) inbox_work");

        assertCheap("take", 1_550, PostgresWorkStatement.TAKE, plain.id(), 0, DueHints.BEGINNING, DUE, ROOM);
        assertCheap("lease, nothing due", 50, PostgresWorkStatement.LEASE, 30_000, "node", plain.id(), 0, DUE);
        assertCheap(
                "take in order",
                5_500,
                PostgresWorkPartitionStatement.TAKE_BY_DUE,
                ordered.id(),
                0,
                false,
                DUE,
                DUE,
                ROOM);
        assertCheap(
                "lease in order, nothing due",
                50,
                PostgresWorkPartitionStatement.TAKE_BY_DUE,
                ordered.id(),
                0,
                true,
                DUE,
                1,
                ROOM);
        assertCheap(
                "take in order by heads",
                600_000,
                PostgresWorkPartitionStatement.TAKE_BY_HEADS,
                ordered.id(),
                0,
                false,
                DUE,
                DUE,
                ROOM);
        String both = "{" + plain.id() + "," + ordered.id() + "}";
        assertCheap("due", 200, PostgresWorkStatement.DUE, "{}", "{}", "{}", both, both);
    }

    private RegisteredConsumer register(KeyOrder order) {
        return store.register(new ConsumerRegistration("plans " + order, IdForm.TIME_ORDERED, order, 4));
    }

    /** Parked in work partition 0 for the next days, a few of them due; those that are due lie apart. */
    private void fill(RegisteredConsumer consumer, int messages, int ofKey) {
        workshop.execute("""
                INSERT INTO inbox_work (consumer_id, message_key, work_partition, ordered, by_lease, status, attempts, due_at,
                    received_at, retry_since, updated_at, source, message_id, type, ordering_key, headers, payload)
                SELECT CAST(? AS smallint), gen_random_uuid(), 0, CAST(? AS boolean), false, 'parked', 1,
                    clock_timestamp() + CASE WHEN n % CAST(? AS integer) = 0 THEN interval '-1 minute'
                        ELSE n * interval '1 second' + interval '1 hour' END,
                    clock_timestamp(), clock_timestamp(), clock_timestamp(), 'orders', convert_to('id ' || n, 'UTF8'),
                    'order', convert_to('key ' || n / CAST(? AS integer), 'UTF8'), '\\x0100000000',
                    convert_to(repeat('x', 200), 'UTF8')
                FROM generate_series(0, CAST(? AS integer) - 1) AS n""", consumer.id(), consumer.order().isKept(), messages / DUE, ofKey, messages);
    }

    private void assertCheap(String what, int most, StatementName name, @Nullable Object... parameters)
            throws SQLException {
        String sql =
                new Statements(PostgresDatabase.STATEMENTS).get(name).text(1).sql();
        try (Connection connection = workshop.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            String plan = "";
            // The first run sets hint bits and the driver's fifth prepares on the server.
            for (int i = 0; i < 7; i++) {
                plan = explain(connection, sql, parameters);
                connection.rollback();
            }
            assertThat(plan.replaceAll("\\s+", " "))
                    .doesNotContainPattern("\"Seq Scan\", [^{}]*\"Relation Name\": \"inbox_work\"");
            assertThat(touched(plan)).as(what + " touches buffers: " + plan).isLessThanOrEqualTo(most);
        }
    }

    private static String explain(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    /** Of the whole plan, which its first node tells. */
    private static int touched(String plan) {
        Matcher buffers = BUFFERS.matcher(plan);
        int touched = 0;
        for (int i = 0; i < 2 && buffers.find(); i++) {
            touched += Integer.parseInt(buffers.group(1));
        }
        return touched;
    }
}
