package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.contract.StoreFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A deferred write that fails while another message's handler asks for the connection. */
@ParameterizedClass
@MethodSource("servers")
class DeferredBlameIT {
    private static final String FINDS_NOTHING = "UPDATE effect SET text = 'never' WHERE text = 'nobody'";
    private static final String WRITE = "INSERT INTO effect (text) VALUES (?)";

    private final DatabaseServer server;
    /** Writes fail in the first run only: whoever is blamed for that stays it. */
    private final AtomicInteger runs = new AtomicInteger();

    private final String consumer = "contract " + UUID.randomUUID();

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    private StoreFixture<JdbcContext> fixture;

    DeferredBlameIT(DatabaseServer server) {
        this.server = server;
    }

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    @BeforeEach
    void open() {
        fixture = SharedStore.fixtureOn(server);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private List<Kind> process(Handler<String, JdbcContext> handler, String... payloads) {
        Inbox<JdbcContext> inbox = Inbox.builder(consumer, fixture.store())
                .handle("note", PayloadDecoder.text(), handler)
                .build();
        List<Message> messages = new ArrayList<>();
        for (String payload : payloads) {
            messages.add(Message.builder("notes")
                    .id(UUID.randomUUID().toString())
                    .type("note")
                    .payload(payload)
                    .build());
        }
        return inbox.process(messages).stream().map(Outcome::kind).toList();
    }

    @Test
    @Tag("A12")
    void messageWhoseWriteFailsIsParkedAndNotTheOneThatAsksForTheConnection() {
        List<Kind> kinds = process(
                (payload, context) -> {
                    if (payload.equals("bad") && runs.getAndIncrement() == 0) {
                        context.deferExpecting(1, FINDS_NOTHING);
                    } else {
                        fixture.write(context, payload);
                    }
                },
                "bad",
                "good");

        assertThat(kinds).containsExactly(Kind.PARKED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("good");
    }

    @Test
    @Tag("A12")
    void messageWhoseWriteFailsIsParkedAlsoWhereTheOtherWrapsTheError() {
        List<Kind> kinds = process(
                (payload, context) -> {
                    if (payload.equals("bad") && runs.getAndIncrement() == 0) {
                        context.deferExpecting(1, FINDS_NOTHING);
                        return;
                    }
                    try {
                        fixture.write(context, payload);
                    } catch (StoreException e) {
                        throw new IllegalStateException("no connection", e);
                    }
                },
                "bad",
                "good");

        assertThat(kinds).containsExactly(Kind.PARKED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("good");
    }

    @Test
    @Tag("A12")
    void errorOfABatchOfManyIsNotThatOfTheOneThatAsksForTheConnection() {
        List<Kind> kinds = process(
                (payload, context) -> {
                    if (payload.startsWith("bad") && runs.getAndIncrement() < 2) {
                        context.defer("INSERT INTO effect (nothing_like_it) VALUES (?)", payload);
                    } else {
                        fixture.write(context, payload);
                    }
                },
                "bad 1",
                "bad 2",
                "good");

        assertThat(kinds).containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("bad 1", "bad 2", "good");
    }

    @Test
    @Tag("A12")
    void errorThatTheOneThatAsksForTheConnectionHidesLosesNoWrites() {
        List<Kind> kinds = process(
                (payload, context) -> {
                    switch (payload) {
                        case "bad" -> context.deferExpecting(1, FINDS_NOTHING);
                        case "hiding" -> {
                            try {
                                context.connection();
                            } catch (StoreException e) {
                                assertThat(e).isNotNull();
                            }
                        }
                        default -> context.defer(WRITE, payload);
                    }
                },
                "bad",
                "deferred",
                "hiding");

        assertThat(kinds).containsExactly(Kind.PARKED, Kind.PROCESSED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("deferred");
    }

    @Test
    @Tag("A12")
    void messageThatAsksForTheConnectionIsNotBlamedForWhatItThrowsInstead() {
        List<Kind> kinds = process(
                (payload, context) -> {
                    if (payload.startsWith("bad") && runs.getAndIncrement() == 0) {
                        context.deferExpecting(1, FINDS_NOTHING);
                    } else {
                        writeOrGiveUp(context, payload);
                    }
                },
                "bad",
                "good");

        assertThat(kinds).containsExactly(Kind.PARKED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("good");
    }

    @Test
    @Tag("A12")
    void messageThatAsksForTheConnectionIsNotBlamedForWhatItThrowsInsteadOfABatchsError() {
        List<Kind> kinds = process(
                (payload, context) -> {
                    if (payload.startsWith("bad") && runs.getAndIncrement() < 2) {
                        context.defer("INSERT INTO effect (nothing_like_it) VALUES (?)", payload);
                    } else {
                        writeOrGiveUp(context, payload);
                    }
                },
                "bad 1",
                "bad 2",
                "good");

        assertThat(kinds).containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("bad 1", "bad 2", "good");
    }

    private void writeOrGiveUp(JdbcContext context, String payload) {
        try {
            fixture.write(context, payload);
        } catch (StoreException e) {
            throw new PermanentFailure("there is no database: " + e.getMessage());
        }
    }
}
