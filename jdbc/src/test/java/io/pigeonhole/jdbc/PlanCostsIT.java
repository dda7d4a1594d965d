package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.postgresql.PostgresDatabase;
import io.pigeonhole.jdbc.postgresql.PostgresTexts;
import io.pigeonhole.jdbc.postgresql.PostgresWorkStatement;
import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL compiles a statement before it runs it where the plan seems to cost more than {@code jit_above_cost}, which takes
 * hundreds of milliseconds. No statement of ours seems to, with 50 inboxes of 64 work partitions, on empty tables and on filled ones.
 */
@OnEveryServer
@Tag("D4")
class PlanCostsIT {
    private static final Pattern COST = Pattern.compile("\"Total Cost\": (\\d+)");
    private static final int JIT_ABOVE_COST = 100_000;
    private static final int INBOXES = 50;

    private final Statements inFiles = new Statements(PostgresDatabase.STATEMENTS);
    private final Workshop workshop;

    PlanCostsIT(PostgresServer server) {
        this.workshop = server.schema();
        workshop.execute("INSERT INTO inbox_consumer (name, id_form, digest_below, key_order, work_partitions)"
                + " SELECT 'c' || n, 'TIME_ORDERED', 0, 'BLOCK', 64 FROM generate_series(1, " + INBOXES + ") AS n");
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void noStatementIsCompiledOnEmptyTables() throws SQLException {
        assertThat(dear()).isEmpty();
    }

    @Test
    void noStatementIsCompiledOnFilledTables() throws SQLException {
        fill();
        assertThat(dear()).isEmpty();
    }

    /** With the values that it has: the first five times the plan is made for them. */
    @Test
    void pollOfManyInboxesIsNotCompiled() throws SQLException {
        String ids = IntStream.rangeClosed(1, INBOXES)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(",", "'{", "}'"));
        for (String filling : new String[] {"empty", "filled"}) {
            if (filling.equals("filled")) {
                fill();
            }
            try (Connection connection = workshop.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                String sql = inFiles.get(PostgresWorkStatement.DUE).text(1).sql();
                for (String value : new String[] {"'{}'", "'{}'", "'{}'", ids, ids}) {
                    sql = sql.replaceFirst("\\?", Matcher.quoteReplacement(value));
                }
                assertThat(cost(statement, sql)).as(filling).isLessThan(JIT_ABOVE_COST);
            }
        }
    }

    private void fill() {
        workshop.execute(
                "INSERT INTO inbox_work (consumer_id, message_key, work_partition, ordered, by_lease, status, attempts, due_at,"
                        + " received_at, retry_since, updated_at, source, ordering_key, headers)"
                        + " SELECT 1 + n % 50, gen_random_uuid(), n % 64, n % 2 = 0, n % 3 = 0, 'parked', 1, now(), now(), now(),"
                        + " now(), 's', convert_to('key ' || n / 10, 'UTF8'), '' FROM generate_series(1, 20000) AS n");
        workshop.execute(
                "INSERT INTO inbox_dead_letter (consumer_id, message_key, work_partition, ordered, by_lease, blocks, reason,"
                        + " detail, claimed, attempts, received_at, died_at, source, ordering_key, headers)"
                        + " SELECT 1 + n % 50, gen_random_uuid(), n % 64, true, false, true, 'r', 'd', true, 1, now(), now(), 's',"
                        + " convert_to('key ' || n / 10, 'UTF8'), '' FROM generate_series(1, 20000) AS n");
        workshop.execute(
                "INSERT INTO inbox_history (consumer_id, message_key, source, with_payload, attempts, processed_at)"
                        + " SELECT 1 + n % 50, gen_random_uuid(), 's', false, 1, now() FROM generate_series(1, 20000) AS n");
        workshop.execute("INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)"
                + " SELECT 1 + n % 50, CAST('ff' || substr(CAST(gen_random_uuid() AS text), 3) AS uuid), now()"
                + " FROM generate_series(1, 20000) AS n");
        workshop.execute("ANALYZE");
    }

    /** The statements that seem to cost too much, and what they seem to cost. */
    private Map<String, Long> dear() throws SQLException {
        Map<String, Long> costs = new TreeMap<>();
        try (Connection connection = workshop.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET plan_cache_mode = force_generic_plan");
            for (StatementName name : StatementFilesTest.ofPostgres()) {
                putCosts(
                        statement,
                        name.file() + " " + name,
                        inFiles.get(name).text(2).sql(),
                        costs);
            }
            putCosts(
                    statement,
                    "advance",
                    new PostgresTexts(inFiles).advance().first().sql(),
                    costs);
        }
        assertThat(costs)
                .as("what can be planned by itself")
                .hasSizeGreaterThan(160)
                .containsKeys("postgresql-work DUE, 1", "admin WORK, 1", "replay READ, 1", "advance, 3");
        costs.values().removeIf(cost -> cost < JIT_ABOVE_COST);
        return costs;
    }

    /** Of each statement in a text. */
    private static void putCosts(Statement statement, String name, String text, Map<String, Long> costs)
            throws SQLException {
        int part = 0;
        for (String sql : text.split(";\\n", -1)) {
            part++;
            if (prepare(statement, sql)) {
                costs.put(name + ", " + part, cost(statement, execution(statement)));
                statement.execute("DEALLOCATE p");
            }
        }
    }

    /** Not what is only a part of a statement, is formatted, or has no plan. */
    private static boolean prepare(Statement statement, String sql) {
        AtomicInteger parameters = new AtomicInteger();
        String numbered = Pattern.compile("[?]")
                .matcher(sql)
                .replaceAll(mark -> Matcher.quoteReplacement("$" + parameters.incrementAndGet()));
        if (!sql.strip().matches("(?s)(SELECT|WITH|INSERT|UPDATE|DELETE)\\b.*")) {
            return false;
        }
        try {
            statement.execute("PREPARE p AS " + numbered);
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    private static String execution(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(
                "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = 'p'")) {
            row.next();
            String nulls =
                    IntStream.range(0, row.getInt(1)).mapToObj(i -> "NULL").collect(Collectors.joining(", "));
            return "EXECUTE p" + (nulls.isEmpty() ? "" : "(" + nulls + ")");
        }
    }

    private static long cost(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery("EXPLAIN (FORMAT JSON) " + sql)) {
            row.next();
            Matcher cost = COST.matcher(row.getString(1));
            assertThat(cost.find()).isTrue();
            return Long.parseLong(cost.group(1));
        }
    }
}
