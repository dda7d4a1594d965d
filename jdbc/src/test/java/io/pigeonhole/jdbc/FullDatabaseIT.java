package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Circuit;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A database that can be read and takes no writes, as with a full disk: the node says so, waits, and goes on by itself. */
@Tag("A4")
class FullDatabaseIT {
    private static final int MESSAGES = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Logger logger = (Logger) LoggerFactory.getLogger(Node.class.getPackageName());
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicInteger runs = new AtomicInteger();

    @BeforeEach
    void read() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void readNoMore() {
        logger.detachAppender(lines);
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void circuitIsOpenUntilTheDatabaseTakesWritesAgain(PostgresServer server) {
        try (Workshop workshop = server.schema()) {
            workshop.execute("CREATE TABLE done (id text NOT NULL)");
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = Inbox.builder("full", store)
                    .lanes(4)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        runs.incrementAndGet();
                        context.defer("INSERT INTO done VALUES (?)", payload);
                    })
                    .build();
            inbox.receive(IntStream.range(0, MESSAGES)
                    .mapToObj(FullDatabaseIT::message)
                    .toList());
            fillDisk(workshop, "INSERT OR UPDATE OR DELETE ON inbox_work");

            try (Node node = Node.builder(store).inbox(inbox).workers(1).start()) {
                await().atMost(PATIENCE).until(() -> node.circuit() == Circuit.OPEN);
                int runsBefore = runs.get();
                long refusals = refusals(workshop);
                // A sequence goes on though its transaction is rolled back.
                await().atMost(PATIENCE).until(() -> refusals(workshop) >= refusals + 4);
                assertThat(runs).as("no handler runs again meanwhile").hasValue(runsBefore);
                assertThat(node.circuit()).isEqualTo(Circuit.OPEN);
                assertThat(lines.list.stream().filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN)))
                        .as("warnings")
                        .hasSize(1);

                workshop.execute("DROP TRIGGER disk_is_full ON inbox_work");
                await().atMost(Duration.ofSeconds(10)).until(() -> node.circuit() == Circuit.CLOSED);
                assertThat(workshop.askAll("SELECT message FROM inbox_attempt")).isEmpty();
                await().atMost(PATIENCE)
                        .until(() ->
                                workshop.askAll("SELECT id FROM inbox_work").isEmpty());
            }
            assertThat(workshop.askAll("SELECT id FROM done ORDER BY id::int")).isEqualTo(ids());
        }
    }

    private static void fillDisk(Workshop workshop, String refused) {
        workshop.execute("CREATE SEQUENCE refusals");
        workshop.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN PERFORM nextval(''refusals''); RAISE EXCEPTION ''could not extend file: No space left on device''"
                + " USING ERRCODE = ''53100''; END'");
        workshop.execute("CREATE TRIGGER disk_is_full BEFORE " + refused + " FOR EACH ROW EXECUTE FUNCTION refuse()");
    }

    static Stream<Arguments> tables() {
        return PostgresServers.all()
                .flatMap(server -> Stream.of("done", "inbox_history").map(table -> Arguments.of(server, table)));
    }

    /** The tablespace of the handler's table, or of the history, has no room; the inbox's other tables have. */
    @ParameterizedTest
    @MethodSource("tables")
    void fullDiskOfOneTableCostsNoAttemptAndHoldsUpNoOtherConsumer(PostgresServer server, String table) {
        try (Workshop workshop = server.schema()) {
            workshop.execute("CREATE TABLE done (id text NOT NULL)");
            workshop.execute("CREATE TABLE others (id text NOT NULL)");
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = Inbox.builder("full", store)
                    .retry(RetryPolicy.never())
                    .history(HistoryMode.WITH_PAYLOAD)
                    .handle(
                            "note",
                            PayloadDecoder.text(),
                            (payload, context) -> context.defer("INSERT INTO done VALUES (?)", payload))
                    .build();
            Inbox<JdbcContext> other = Inbox.builder("other", store)
                    .handle(
                            "note",
                            PayloadDecoder.text(),
                            (payload, context) -> context.defer("INSERT INTO others VALUES (?)", payload))
                    .build();
            inbox.receive(IntStream.range(0, MESSAGES)
                    .mapToObj(FullDatabaseIT::message)
                    .toList());
            fillDisk(workshop, "INSERT ON " + table);
            Message inline = message(MESSAGES);
            assertThatThrownBy(() -> inbox.process(inline)).isInstanceOf(StoreUnavailableException.class);

            try (Node node = Node.builder(store).inbox(inbox).inbox(other).start()) {
                await().atMost(PATIENCE).until(() -> node.circuit() == Circuit.OPEN);
                for (int i = 0; i < 3; i++) {
                    long refusals = refusals(workshop);
                    await().atMost(PATIENCE).until(() -> refusals(workshop) > refusals);
                    other.receive(List.of(message(i)));
                    int done = i + 1;
                    await().atMost(Duration.ofSeconds(10))
                            .until(() ->
                                    workshop.askAll("SELECT id FROM others").size() == done);
                }
                assertThat(workshop.askAll("SELECT message FROM inbox_attempt")).isEmpty();
                assertThat(workshop.askAll("SELECT detail FROM inbox_dead_letter"))
                        .isEmpty();

                workshop.execute("DROP TRIGGER disk_is_full ON " + table);
                await().atMost(PATIENCE)
                        .until(() ->
                                workshop.askAll("SELECT id FROM inbox_work").isEmpty());
                await().atMost(PATIENCE).until(() -> node.circuit() == Circuit.CLOSED);
            }
            assertThat(inbox.process(inline).kind()).isEqualTo(Outcome.Kind.PROCESSED);
            assertThat(workshop.askAll("SELECT id FROM done")).hasSize(MESSAGES + 1);
        }
    }

    private static long refusals(Workshop workshop) {
        return Long.parseLong(workshop.ask("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM refusals"));
    }

    private static List<String> ids() {
        return IntStream.range(0, MESSAGES).mapToObj(number -> "" + number).toList();
    }

    private static Message message(int number) {
        return Message.builder("notes")
                .id("" + number)
                .type("note")
                .payload("" + number)
                .build();
    }
}
