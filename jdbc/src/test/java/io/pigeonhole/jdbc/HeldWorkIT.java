package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Work that somebody else changes while an administrator waits for it. */
@Tag("B-principle")
class HeldWorkIT {
    private static final Author ANN = new Author("ann", "a test");

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all().limit(1), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    private static String literal(DatabaseServer server, Instant instant) {
        return server instanceof PostgresServer
                ? "timestamptz '" + instant + "'"
                : "TIMESTAMP '"
                        + LocalDateTime.ofInstant(instant, ZoneOffset.UTC)
                                .toString()
                                .replace('T', ' ') + "'";
    }

    @ParameterizedTest
    @MethodSource("servers")
    void headThatBecomesDueWhileItsRowIsHeldIsNotSkipped(DatabaseServer server) throws Exception {
        try (Workshop workshop = server.schema();
                Connection other = workshop.dataSource().getConnection();
                Statement change = other.createStatement()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .order(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                    .build();
            inbox.receive(Message.builder("queue")
                    .id("held")
                    .type("note")
                    .payload("x")
                    .orderingKey("key")
                    .build());
            workshop.execute("UPDATE inbox_work SET due_at = "
                    + literal(server, Instant.now().plus(Duration.ofHours(1))));
            other.setAutoCommit(false);
            change.executeUpdate("UPDATE inbox_work SET attempts = attempts");
            CompletableFuture<Answer> unblock =
                    CompletableFuture.supplyAsync(() -> store.admin().unblock("notes", OrderingKey.of("key"), ANN));
            await().pollInterval(AnyDatabase.INTERVAL)
                    .until(() -> unblock.isDone()
                            || workshop.askAll(AnyDatabase.waiting(server)).equals(List.of("1")));
            // The session takes the database's clock to be where it was read, which is behind where the answer took
            // long.
            Instant due = Instant.now().minus(Duration.ofMinutes(1));
            change.executeUpdate("UPDATE inbox_work SET due_at = " + literal(server, due));
            other.commit();

            assertThat(unblock.get().kind()).isEqualTo(Answer.Kind.UNCHANGED);
            assertThat(workshop.askAll("SELECT id FROM inbox_dead_letter")).isEmpty();
        }
    }
}
