package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.time.StoredTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a person may hand in through the admin API, or a producer in a message, that no database keeps as it is. */
@Tag("D12")
class ExtremeValuesIT {
    private static final Author ANN = new Author("ann \uD83D", "a test \uDE00");

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all().limit(1), Stream.of(H2Server.FILES))
                .flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("servers")
    void listsWithBoundsAndPagesOfExtremeYearsAreRead(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                    .handle("dies", PayloadDecoder.text(), (payload, context) -> {
                        throw new PermanentFailure("no");
                    })
                    .handle("waits", PayloadDecoder.text(), (payload, context) -> {
                        throw new IllegalStateException("later");
                    })
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .history(HistoryMode.WITH_PAYLOAD)
                    .build();
            for (String type : List.of("dies", "waits", "note")) {
                inbox.process(Message.builder("queue")
                        .id(type)
                        .type(type)
                        .payload("x")
                        .build());
            }
            Admin admin = store.admin();
            DeadLetterFilter letters = DeadLetterFilter.of("notes").withDied(Instant.MIN, Instant.MAX);
            assertThat(admin.deadLetters(letters, PageRequest.first(10)).entries())
                    .hasSize(1);
            assertThat(admin.work(WorkFilter.of("notes").withReceived(Instant.MIN, Instant.MAX), PageRequest.first(10))
                            .entries())
                    .hasSize(1);
            for (Instant edge : List.of(StoredTime.FIRST, StoredTime.LAST)) {
                PageRequest behind = PageRequest.first(10).next(new Cursor(edge, 1));
                assertThat(admin.deadLetters(letters, behind).entries().size()
                                + admin.work(WorkFilter.of("notes"), behind)
                                        .entries()
                                        .size())
                        .isBetween(0, 2);
                assertThat(admin.audit("notes", behind).entries()).hasSizeBetween(0, 10);
            }
            Replay<JdbcContext> replay = Replay.builder("again", "notes", store, ANN)
                    .into(PayloadDecoder.text(), (payload, context) -> {})
                    .since(Instant.MIN)
                    .until(Instant.MAX)
                    .build();
            assertThat(replay.run().done()).isEqualTo(1);
            assertThat(admin.requeue(admin.select(letters, Instant.MAX), Requeue.atOnce(), ANN)
                            .requeued())
                    .isEqualTo(1);
            assertThat(workshop.askAll("SELECT who FROM inbox_audit")).contains("ann \uFFFD");
        }
    }

    @ParameterizedTest
    @MethodSource("times")
    void messageThatAPersonPutOffForVeryLongHoldsUpNoOther(DatabaseServer server, String time) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> putOff = failing("put off", store);
            putOff.process(message());
            workshop.execute("UPDATE inbox_work SET due_at = '" + time + "'");
            try (Node node = Node.builder(store)
                    .inbox(putOff)
                    .inbox(failing("others", store))
                    .start()) {
                // By another program, of whose messages the node learns from the database only.
                failing("others", JdbcStore.create(workshop.dataSource())).process(message());

                await().atMost(Duration.ofSeconds(20))
                        .until(() -> workshop.ask("SELECT count(*) FROM inbox_dead_letter")
                                .equals("1"));
                assertThat(node.failure()).isNull();
            }
        }
    }

    static Stream<Arguments> times() {
        return Stream.concat(
                servers().map(server -> Arguments.of(server, "9999-12-31 00:00:00")),
                Stream.of("infinity", "-infinity").map(time -> Arguments.of(PostgresServers.embedded(), time)));
    }

    /** To give it more attempts, by hand. */
    @ParameterizedTest
    @MethodSource("servers")
    void messageThatWasRequeuedAndWhoseAttemptsAPersonSetBackComesToAnEnd(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = failing("notes", store);
            inbox.process(message());
            inbox.work();
            Admin admin = store.admin();
            admin.requeue(admin.select(DeadLetterFilter.of("notes")), Requeue.atOnce(), ANN);
            workshop.execute("UPDATE inbox_work SET attempts = 0");

            inbox.work();

            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter")).containsExactly("RETRIES_EXHAUSTED");
        }
    }

    private static Message message() {
        return Message.builder("queue").id("1").type("note").payload("x").build();
    }

    private static Inbox<JdbcContext> failing(String consumer, JdbcStore store) {
        return Inbox.builder(consumer, store)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(2))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new IllegalStateException("no");
                })
                .build();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void nameOfAHeaderNeverBecomesAnother(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                    .handle("dies", PayloadDecoder.text(), (payload, context) -> {
                        throw new PermanentFailure("no");
                    })
                    .build();
            inbox.process(Message.builder("queue")
                    .id("1")
                    .type("dies")
                    .headers(new Headers(List.of(new Header("a\uD83D", new byte[] {1}))))
                    .payload("x")
                    .build());
            Admin admin = store.admin();
            Message kept = Objects.requireNonNull(admin.show("notes", admin.keyOf("notes", "queue", MessageId.of("1")))
                    .orElseThrow()
                    .message());
            assertThat(kept.headers().list()).extracting(Header::name).containsExactly("a\uFFFD");
        }
    }
}
