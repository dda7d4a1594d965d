package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The client of {@code docs/tables.md}, which is nothing but SQL, shares a consumer with one in Java. */
@OnEveryServer
@Tag("M40")
class SqlClientIT {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern BLOCK = Pattern.compile("```sql\\n(.*?);\\n```", Pattern.DOTALL);
    private static final Pattern VECTOR =
            Pattern.compile("(?m)^\\| .+? \\| `(.+?)` \\| `(.+?)` \\| (\\d+) \\| no \\| `([0-9a-f-]{36})` \\|");

    private final Workshop workshop;
    private final Inbox<JdbcContext> inbox;
    private final String claim;

    SqlClientIT(PostgresServer server) throws IOException {
        this.workshop = server.schema();
        this.inbox = Inbox.builder("payments", JdbcStore.create(workshop.dataSource()))
                .handle("payment", PayloadDecoder.text(), (payment, context) -> {})
                .build();
        String page = page("tables.md");
        List<String> blocks = BLOCK.matcher(page.substring(page.indexOf("## A client in SQL")))
                .results()
                .map(block -> block.group(1))
                .toList();
        workshop.execute(blocks.get(0));
        this.claim = blocks.get(1);
    }

    @BeforeEach
    void claimIsThatOfThePage() {
        assertThat(claim).contains("'shop'", "'order-17'");
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    @Test
    void whatTheClientHasClaimedIsADuplicateInJava() throws SQLException {
        for (String id : List.of("order-17", now())) {
            assertThat(claimed(id)).isEqualTo(1);
            assertThat(claimed(id)).isZero();
            assertThat(inbox.process(message(id)).kind()).isEqualTo(Outcome.Kind.DUPLICATE);
        }
        assertThat(inbox.process(message("order-18")).kind()).isEqualTo(Outcome.Kind.PROCESSED);
    }

    @Test
    void whatJavaHasProcessedIsNotClaimedByTheClient() throws SQLException {
        for (String id : List.of("order-17", now())) {
            assertThat(inbox.process(message(id)).kind()).isEqualTo(Outcome.Kind.PROCESSED);
            assertThat(claimed(id)).isZero();
        }
        assertThat(claimed("order-18")).isEqualTo(1);
    }

    @Test
    void whatTheLedgerHasNoDayForIsNotClaimed() throws SQLException {
        assertThat(claimed(timeOrdered(System.currentTimeMillis() + 100L * 86_400_000)))
                .isZero();
    }

    @Test
    void keysAreThoseOfTheVectors() throws IOException {
        List<MatchResult> vectors =
                VECTOR.matcher(page("message-key.md")).results().toList();
        assertThat(vectors).hasSizeGreaterThan(20);
        for (MatchResult vector : vectors) {
            assertThat(workshop.ask(
                            "SELECT message_key_of(convert_to(?, 'UTF8'), ?, ?)",
                            vector.group(1),
                            idOf(vector.group(2)),
                            Long.parseLong(vector.group(3))))
                    .as(vector.group())
                    .isEqualTo(vector.group(4));
        }
    }

    private static byte[] idOf(String text) {
        if (text.startsWith("0x")) {
            return HexFormat.of().parseHex(text, 2, text.length());
        }
        String id = text.equals("1000 times a") ? "a".repeat(1000) : text;
        return id.getBytes(StandardCharsets.UTF_8);
    }

    private int claimed(String id) throws SQLException {
        try (Connection connection = workshop.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            return statement.executeUpdate(claim.replace("order-17", id));
        }
    }

    private static Message message(String id) {
        return Message.builder("shop").id(id).type("payment").payload("7").build();
    }

    /** An id in time form of a moment behind the consumer's registration. */
    private static String now() {
        return timeOrdered(System.currentTimeMillis() + 1000);
    }

    private static String timeOrdered(long millis) {
        UUID random = UUID.randomUUID();
        String time = String.format(Locale.ROOT, "%012x", millis);
        return time.substring(0, 8) + "-" + time.substring(8) + "-7"
                + random.toString().substring(15);
    }

    private static String page(String name) throws IOException {
        return Files.readString(DOCS.resolve(name));
    }
}
