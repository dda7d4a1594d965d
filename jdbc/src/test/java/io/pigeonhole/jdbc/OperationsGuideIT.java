package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code docs/operations.md} tells people to ask the database, and what it says of locks. */
class OperationsGuideIT {
    private static final Path GUIDE = Path.of("..", "docs", "operations.md");
    private static final Pattern QUERY = Pattern.compile("```sql\\n(.*?);\\n```", Pattern.DOTALL);

    private final Workshop workshop = PostgresServers.embedded().schema();
    private final JdbcStore store = JdbcStore.create(workshop.dataSource());

    @AfterEach
    void close() {
        workshop.close();
    }

    @Test
    void queriesOfTheGuideFindWhatIsDeadOverdueAndLarge() throws IOException {
        Inbox<JdbcContext> inbox = Inbox.builder("mails", store)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(2))
                .handle("mail", PayloadDecoder.text(), (mail, context) -> {
                    throw new IllegalStateException("the mailbox is full");
                })
                .build();
        inbox.process(message("1"));
        inbox.work();
        inbox.process(message("2"));

        List<String> answers = queries().stream().map(this::answer).toList();

        assertThat(answers).hasSize(7);
        assertThat(answers.get(0)).startsWith("mails|f|1|").endsWith("|1");
        assertThat(answers.get(1)).startsWith("mails|java.lang.IllegalStateException|the mailbox is full|3|");
        assertThat(answers.get(2)).doesNotContain("mails");
        assertThat(answers.get(4)).isEqualTo(workshop.ask("SELECT last_value FROM inbox_arrival"));
        assertThat(answers.get(6)).contains("inbox_ledger|", "inbox_work|", "inbox_attempt|");
    }

    @Test
    @Tag("F49")
    void guideShowsWhoHoldsTheOldestSnapshot() throws IOException, SQLException {
        try (Connection holder = workshop.dataSource().getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            ResultSet pid = statement.executeQuery("SELECT 'session ' || pg_backend_pid() || ' '");
            pid.next();
            String session = pid.getString(1);
            for (int i = 0; i < 30; i++) {
                workshop.execute("INSERT INTO inbox_schema (version) VALUES (?)", 1000 + i);
            }

            assertThat(answer(queries().get(3)).lines())
                    .filteredOn(line -> line.startsWith(session))
                    .singleElement()
                    .satisfies(line -> assertThat(Integer.parseInt(line.split("\\|", -1)[1]))
                            .isGreaterThanOrEqualTo(30));
            holder.rollback();
        }
    }

    @Test
    @Tag("F33")
    void guideShowsHowFarClocksAreApart() throws IOException {
        workshop.execute("UPDATE inbox_clock SET trusted_at = clock_timestamp() - interval '2 hours',"
                + " seen_at = clock_timestamp() + interval '1 hour'");

        assertThat(answer(queries().get(5))).matches("2\\d{3}-.*\\|02:00:0.*\\|-00:59:5.*");
    }

    @Test
    void batchWithoutAnOrderTakesAsManyLocksWhateverTheNumberOfDays() {
        int withEightDays = locksOfABatch("eight");
        JdbcStore.builder(workshop.dataSource()).daysAhead(40).build().maintain();

        assertThat(locksOfABatch("forty")).isEqualTo(withEightDays).isLessThan(20);
    }

    private int locksOfABatch(String consumer) {
        List<Integer> locks = new ArrayList<>();
        Inbox<JdbcContext> inbox = Inbox.builder(consumer, store)
                .handle("mail", PayloadDecoder.text(), (mail, context) -> {
                    try (Statement statement = context.connection().createStatement();
                            ResultSet row = statement.executeQuery(
                                    "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()")) {
                        row.next();
                        locks.add(row.getInt(1));
                    }
                })
                .build();
        // The first batch reads catalogs, too.
        inbox.process(message(UUID.randomUUID().toString()));
        inbox.process(message(UUID.randomUUID().toString()));
        return locks.get(1);
    }

    private static List<String> queries() throws IOException {
        return QUERY.matcher(Files.readString(GUIDE))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private String answer(String query) {
        try (Connection connection = workshop.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> lines = new ArrayList<>();
            while (rows.next()) {
                List<String> columns = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    columns.add(String.valueOf(rows.getString(i)));
                }
                lines.add(String.join("|", columns));
            }
            return String.join("\n", lines);
        } catch (SQLException e) {
            throw new AssertionError(query, e);
        }
    }

    private static Message message(String id) {
        return Message.builder("test").id(id).type("mail").payload("x").build();
    }
}
