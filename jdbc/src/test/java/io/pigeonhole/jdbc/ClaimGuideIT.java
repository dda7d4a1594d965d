package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The example of {@code docs/claims.md}: what stands between the marks is compared with it. */
class ClaimGuideIT {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?)// end", Pattern.DOTALL);

    private final Workshop workshop = PostgresServers.embedded().schema();
    private final DataSource dataSource = workshop.dataSource();
    private final JdbcStore store = JdbcStore.create(dataSource);
    // begin
    private final Inbox<JdbcContext> inbox = Inbox.builder("payments", store).build();

    /** Answers whether the payment was booked now. */
    boolean book(String id, long account, long amount) throws SQLException {
        Message message = Message.builder("bank").id(id).build();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                boolean first = inbox.claim(message, store.ledger(connection));
                if (first) {
                    addTo(account, amount, connection);
                }
                connection.commit();
                return first;
            } catch (Throwable e) { // Also an Error: some pools do not roll back, and the next user would commit.
                connection.rollback();
                throw e;
            }
        }
    }
    // end

    @BeforeEach
    void open() {
        workshop.execute(
                "CREATE TABLE account (id bigint PRIMARY KEY, balance bigint NOT NULL CHECK (balance < 1000))");
        workshop.execute("INSERT INTO account VALUES (7, 100)");
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private static void addTo(long account, long amount, Connection connection) throws SQLException {
        try (var update = connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
            update.setLong(1, amount);
            update.setLong(2, account);
            update.executeUpdate();
        }
    }

    @Test
    void paymentIsBookedOnce() throws SQLException {
        assertThat(book("1", 7, 5)).isTrue();
        assertThat(book("1", 7, 5)).isFalse();

        assertThat(workshop.askAll("SELECT balance FROM account")).containsExactly("105");
    }

    @Test
    void paymentThatFailsIsNewTheNextTime() throws SQLException {
        assertThatThrownBy(() -> book("1", 7, 1000)).isInstanceOf(SQLException.class);
        workshop.execute("UPDATE account SET balance = -500");

        assertThat(book("1", 7, 1000)).isTrue();
    }

    @Test
    void guideShowsWhatIsTested() throws IOException {
        Path root = Path.of("..").toAbsolutePath().normalize();
        String guide = Files.readString(root.resolve("docs/claims.md"));
        String source = Files.readString(root.resolve("jdbc/src/test/java/io/pigeonhole/jdbc/ClaimGuideIT.java"));

        List<String> examples = all(EXAMPLE, guide);
        assertThat(withoutSpace(examples.subList(1, examples.size())))
                .isEqualTo(withoutSpace(all(BETWEEN_MARKS, source)));
        String ofThisPackage = "import " + JdbcContext.class.getName() + ";";
        assertThat(source.lines())
                .containsAll(examples.get(0)
                        .lines()
                        .filter(line -> !line.equals(ofThisPackage))
                        .toList());
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(result -> result.group(1)).toList();
    }

    private static List<String> withoutSpace(List<String> examples) {
        assertThat(examples).hasSize(1);
        return examples.stream().map(each -> each.replaceAll("\\s+", "")).toList();
    }
}
