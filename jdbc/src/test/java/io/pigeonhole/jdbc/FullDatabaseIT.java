package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Circuit;
import io.pigeonhole.core.node.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A database that can be read and takes no writes, as with a full disk: the node says so, waits, and goes on by itself. */
@Tag("A4")
class FullDatabaseIT {
    private static final int MESSAGES = 40;
    private static final Duration LONG = Duration.ofSeconds(30);

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
                    .workPartitions(4)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        runs.incrementAndGet();
                        context.defer("INSERT INTO done VALUES (?)", payload);
                    })
                    .build();
            inbox.receive(IntStream.range(0, MESSAGES)
                    .mapToObj(FullDatabaseIT::message)
                    .toList());
            workshop.execute("CREATE SEQUENCE refusals");
            workshop.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                    + " 'BEGIN PERFORM nextval(''refusals''); RAISE EXCEPTION ''could not extend file: No space left on device''"
                    + " USING ERRCODE = ''53100''; END'");
            workshop.execute("CREATE TRIGGER disk_is_full BEFORE INSERT OR UPDATE OR DELETE ON inbox_work"
                    + " FOR EACH ROW EXECUTE FUNCTION refuse()");

            try (Node node = Node.builder(store).inbox(inbox).workers(1).start()) {
                await().atMost(LONG).until(() -> node.circuit() == Circuit.OPEN);
                int runsBefore = runs.get();
                long refusals = refusals(workshop);
                // A sequence goes on though its transaction is rolled back.
                await().atMost(LONG).until(() -> refusals(workshop) >= refusals + 4);
                assertThat(runs).as("no handler runs again meanwhile").hasValue(runsBefore);
                assertThat(node.circuit()).isEqualTo(Circuit.OPEN);
                assertThat(lines.list.stream().filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN)))
                        .as("warnings")
                        .hasSize(1);

                workshop.execute("DROP TRIGGER disk_is_full ON inbox_work");
                await().atMost(Duration.ofSeconds(10)).until(() -> node.circuit() == Circuit.CLOSED);
                assertThat(workshop.askAll("SELECT message FROM inbox_attempt")).isEmpty();
                await().atMost(LONG)
                        .until(() ->
                                workshop.askAll("SELECT id FROM inbox_work").isEmpty());
            }
            assertThat(workshop.askAll("SELECT id FROM done ORDER BY id::int")).isEqualTo(ids());
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
