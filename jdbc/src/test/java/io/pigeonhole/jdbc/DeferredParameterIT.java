package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.inbox.Reception;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.contract.StoredMessage;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.util.PGobject;

/** Parameters of deferred writes that are code of the application, and fail when the driver reads them. */
@ParameterizedClass
@MethodSource("servers")
@Tag("B2")
class DeferredParameterIT {
    private static final String WRITE = "INSERT INTO effect (text) VALUES (?)";
    private static final Author ANN = new Author("ann", "again");
    private static final int ATTEMPTS = 2;
    private static final Map<String, Supplier<Throwable>> KINDS = kinds();

    private final DatabaseServer server;
    private final String consumer = "contract " + UUID.randomUUID();

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    private StoreFixture<JdbcContext> fixture;

    DeferredParameterIT(DatabaseServer server) {
        this.server = server;
    }

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all().limit(1), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    private static Map<String, Supplier<Throwable>> kinds() {
        Map<String, Supplier<Throwable>> kinds = new LinkedHashMap<>();
        kinds.put("IllegalStateException", () -> new IllegalStateException("card 4111"));
        kinds.put("IOException", () -> new IOException("card 4111"));
        kinds.put("Throwable", () -> new Throwable("card 4111"));
        kinds.put("PermanentFailure", () -> new PermanentFailure("never"));
        kinds.put("InterruptedException", () -> {
            Thread.currentThread().interrupt();
            return new InterruptedException("by nobody");
        });
        kinds.put("SQLException", () -> new SQLException("of another database", "22001"));
        kinds.put("AssertionError", () -> new AssertionError("wrong"));
        kinds.put("NoClassDefFoundError", () -> new NoClassDefFoundError("com/example/Json"));
        kinds.put("ExceptionInInitializerError", () -> new ExceptionInInitializerError("static"));
        kinds.put("OutOfMemoryError", () -> new OutOfMemoryError("Requested array size exceeds VM limit"));
        kinds.put("StackOverflowError", StackOverflowError::new);
        kinds.put("InternalError", () -> new InternalError("broken"));
        return kinds;
    }

    @BeforeEach
    void open() {
        fixture = SharedStore.fixtureOn(server);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Unchecked on purpose: it throws what is checked.
    private static <E extends Throwable> void sneak(Throwable e) throws E {
        throw (E) e;
    }

    private static int fail(Supplier<Throwable> thrown) {
        DeferredParameterIT.<RuntimeException>sneak(thrown.get());
        return -1;
    }

    /** Read when it is bound on PostgreSQL and H2, and while the statement is sent on MariaDB. */
    private Object failing(Supplier<Throwable> thrown) {
        if (server instanceof PostgresServer) {
            PGobject object = new PGobject() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getValue() {
                    return "never " + fail(thrown);
                }
            };
            object.setType("text");
            return object;
        }
        return new InputStream() {
            @Override
            public int read() {
                return fail(thrown);
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                return fail(thrown);
            }
        };
    }

    /** Payloads that name a kind fail with it, others are written. */
    private void defer(String payload, JdbcContext context) {
        Supplier<Throwable> thrown = KINDS.get(payload);
        context.defer(WRITE, thrown == null ? payload : failing(thrown));
    }

    private InboxBuilder<JdbcContext> builder(Handler<String, JdbcContext> handler) {
        return Inbox.builder(consumer, fixture.store())
                .workPartitions(1)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(ATTEMPTS))
                .handle("note", PayloadDecoder.text(), handler);
    }

    private static List<Message> messages(List<String> payloads) {
        List<Message> messages = new ArrayList<>();
        for (String payload : payloads) {
            messages.add(Message.builder("notes")
                    .id(UUID.randomUUID().toString())
                    .type("note")
                    .payload(payload)
                    .build());
        }
        return messages;
    }

    /** All kinds, with innocent ones between them. */
    private static List<String> mixed() {
        List<String> mixed = new ArrayList<>(List.of("good"));
        KINDS.keySet().forEach(kind -> mixed.addAll(List.of(kind, "with " + kind)));
        return mixed;
    }

    /** A connection that is given up is ended by a thread of its own, and holds its work partitions until then. */
    private void work(Inbox<JdbcContext> inbox, List<Message> messages) {
        long bad = messages.stream()
                .filter(message -> KINDS.containsKey(payload(message)))
                .count();
        await().pollInSameThread().atMost(Duration.ofSeconds(30)).until(() -> {
            fixture.advance(Duration.ofHours(1));
            while (inbox.work() > 0) {
                Thread.interrupted();
            }
            return fixture.deadLetters(consumer).size() >= bad;
        });
    }

    private void assertAllEnded(List<Message> messages) {
        List<MessageId> bad = messages.stream()
                .filter(message -> KINDS.containsKey(payload(message)))
                .map(Message::id)
                .toList();
        assertThat(fixture.effects())
                .containsExactlyInAnyOrderElementsOf(messages.stream()
                        .map(DeferredParameterIT::payload)
                        .filter(payload -> !KINDS.containsKey(payload))
                        .toList());
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(fixture.deadLetters(consumer))
                .extracting(StoredMessage::id)
                .containsExactlyInAnyOrderElementsOf(bad);
    }

    private static String payload(Message message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    private static void hide(JdbcContext context) {
        try {
            context.connection();
        } catch (Throwable e) {
            assertThat(e).isNotNull();
        }
    }

    @Test
    void nothingIsLostWhereAnotherHandlerHidesWhatAParameterThrew() {
        for (String kind : List.of("IllegalStateException", "NoClassDefFoundError", "IOException")) {
            Inbox<JdbcContext> inbox = builder((payload, context) -> {
                        if (payload.equals("hiding")) {
                            hide(context);
                        } else {
                            defer(payload, context);
                        }
                    })
                    .build();
            List<Message> batch = messages(List.of(kind, "before " + kind, "hiding"));

            assertThat(inbox.process(batch))
                    .extracting(Outcome::kind)
                    .containsExactly(Kind.PARKED, Kind.PROCESSED, Kind.PROCESSED);
            assertThat(fixture.effects()).contains("before " + kind);
        }
    }

    @Test
    void whatAParameterThrowsIsNotTheFailureOfTheMessageThatAsksForTheConnection() {
        for (String kind : List.of("IllegalStateException", "NoClassDefFoundError", "IOException")) {
            AtomicInteger runs = new AtomicInteger();
            List<String> told = new ArrayList<>();
            Inbox<JdbcContext> inbox = builder((payload, context) -> {
                        if (payload.equals(kind)) {
                            if (runs.getAndIncrement() == 0) {
                                defer(kind, context);
                            }
                            return;
                        }
                        try {
                            fixture.write(context, payload);
                        } catch (Throwable e) {
                            told.add(String.valueOf(e.getMessage()));
                            throw e;
                        }
                    })
                    .build();

            assertThat(inbox.process(messages(List.of(kind, "asks, " + kind))))
                    .extracting(Outcome::kind)
                    .containsExactly(Kind.PARKED, Kind.PROCESSED);
            assertThat(fixture.effects()).contains("asks, " + kind);
            assertThat(told).isNotEmpty().noneMatch(text -> text.contains("4111"));
        }
    }

    @Test
    void streamThatWasSentIsClosedAndNotSentAgain() {
        AtomicInteger closed = new AtomicInteger();
        StringReader stream = new StringReader("once") {
            @Override
            public void close() {
                super.close();
                closed.incrementAndGet();
            }
        };
        // It is empty once it was read, and says nothing of it.
        StringReader neverClosed = new StringReader("again") {
            @Override
            public void close() {}
        };
        Inbox<JdbcContext> inbox = builder((payload, context) -> {
                    if (payload.equals("twice")) {
                        context.defer(WRITE, neverClosed);
                        context.connection();
                        context.defer(WRITE, neverClosed);
                    } else {
                        context.defer(WRITE, stream);
                    }
                })
                .build();

        assertThat(inbox.process(messages(List.of("stream")))).containsExactly(new Outcome.Processed());
        assertThat(fixture.effects()).contains("once");
        assertThat(closed).hasValue(1);
        assertThat(inbox.process(messages(List.of("twice"))).get(0))
                .isInstanceOfSatisfying(
                        Outcome.Parked.class,
                        parked -> assertThat(parked.toString()).contains("cannot be sent"));
    }

    private static final class Text extends StringReader {
        Text() {
            super("equal");
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Text;
        }

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public void close() {}
    }

    @Test
    void streamsThatTheirClassTakesForEqualAreTwo() {
        List<Text> streams = List.of(new Text(), new Text());
        AtomicInteger calls = new AtomicInteger();
        Inbox<JdbcContext> inbox = builder(
                        (payload, context) -> context.defer(WRITE, streams.get(calls.getAndIncrement())))
                .build();

        assertThat(inbox.process(messages(List.of("one")))).containsExactly(new Outcome.Processed());
        assertThat(inbox.process(messages(List.of("two")))).containsExactly(new Outcome.Processed());
    }

    /** Such as for a notification. A batch of H2 takes none, so that each goes alone. */
    @Test
    void selectThatIsDeferredIsExecutedAloneAsInABatch() {
        Inbox<JdbcContext> inbox = builder((payload, context) -> context.defer("SELECT ?", payload))
                .build();

        assertThat(inbox.process(messages(List.of("alone")))).containsExactly(new Outcome.Processed());
        assertThat(inbox.process(messages(List.of("one", "of", "three"))))
                .containsExactly(new Outcome.Processed(), new Outcome.Processed(), new Outcome.Processed());
    }

    @Test
    void whateverAParameterThrowsIsTheFailureOfItsMessage() {
        Inbox<JdbcContext> inbox = builder(this::defer).build();
        List<Message> messages = messages(mixed());

        List<Outcome> outcomes = inbox.process(messages);
        Thread.interrupted();
        assertThat(outcomes).allMatch(Outcome::settled);
        work(inbox, messages);

        assertAllEnded(messages);
    }

    @Test
    void whateverAParameterThrowsInAWorkerIsTheFailureOfItsMessage() {
        Inbox<JdbcContext> inbox =
                builder(this::defer).reception(Reception.STORE).build();
        List<Message> messages = messages(mixed());

        inbox.process(messages);
        work(inbox, messages);

        assertAllEnded(messages);
    }

    @Test
    void whateverAParameterOfACompletionThrowsIsRecordedAsItsFailure() {
        AtomicInteger calls = new AtomicInteger();
        Inbox<JdbcContext> inbox = Inbox.builder(consumer, fixture.store())
                .workPartitions(1)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(ATTEMPTS))
                .handleExternal("note", PayloadDecoder.text(), (payload, context) -> {
                    calls.incrementAndGet();
                    return database -> defer(payload, database);
                })
                .build();
        List<Message> messages = messages(List.of("NoClassDefFoundError", "good", "IOException", "AssertionError"));

        inbox.process(messages);
        work(inbox, messages);

        assertAllEnded(messages);
        assertThat(fixture.attempts(
                        consumer,
                        inbox.registered()
                                .keys()
                                .keyOf(
                                        "notes",
                                        Objects.requireNonNull(messages.get(0).id()))))
                .hasSize(ATTEMPTS)
                .allMatch(attempt -> attempt.contains("NoClassDefFoundError"));
        assertThat(calls).hasValue(3 * ATTEMPTS + 1);
    }

    @Test
    void whateverAParameterThrowsIsTheFailureOfItsMessageInARun() {
        Inbox<JdbcContext> inbox = builder((payload, context) -> {})
                .history(HistoryMode.WITH_PAYLOAD)
                .build();
        inbox.process(messages(mixed()));

        Replay<JdbcContext> run = Replay.builder("parameters of " + consumer, consumer, fixture.store(), ANN)
                .into(PayloadDecoder.text(), this::defer)
                .skipFailures()
                .build();
        ReplayProgress end = runThroughInterrupts(run);

        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(end.skipped()).isEqualTo(KINDS.size());
        assertThat(fixture.effects())
                .containsExactlyElementsOf(mixed().stream()
                        .filter(payload -> !KINDS.containsKey(payload))
                        .toList());
    }

    /** What a parameter interrupts ends the run behind the batch, as what a handler interrupts does. */
    private static ReplayProgress runThroughInterrupts(Replay<JdbcContext> run) {
        ReplayProgress end = null;
        while (end == null) {
            try {
                end = run.run();
            } catch (RetryableException e) {
                assertThat(Thread.interrupted()).as("%s", e).isTrue();
            }
        }
        Thread.interrupted();
        return end;
    }
}
