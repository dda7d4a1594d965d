package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.retry.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers that work through their framework for longer than a transaction may be idle, and then write by their context. */
@Tag("full")
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.DeferredParameterIT#servers")
@Tag("B11")
class LongWorkThroughFrameworkIT {
    private static final String INSERT = "INSERT INTO effect (text) VALUES (?)";

    private final DatabaseServer server;
    private final Workshop workshop;
    private final ThreadBoundTransactions framework;
    private final JdbcStore store;
    private final AtomicInteger runs = new AtomicInteger();

    LongWorkThroughFrameworkIT(DatabaseServer server) {
        this.server = server;
        workshop = server.schema();
        framework = new ThreadBoundTransactions(workshop.dataSource());
        store = JdbcStore.builder(workshop.dataSource()).transactions(framework).build();
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private Inbox<JdbcContext> inbox(Handler<String, JdbcContext> handler) {
        return Inbox.builder("it", store)
                .handlerTimeout(Duration.ofSeconds(1))
                .retry(RetryPolicy.never())
                .handle("note", PayloadDecoder.text(), handler)
                .build();
    }

    private void workFor(Duration time) {
        long begun = System.nanoTime();
        await().pollInSameThread().pollInterval(Duration.ofMillis(100)).until(() -> {
            SessionLab.ask(framework.bound().connection(), "SELECT 1");
            return System.nanoTime() - begun > time.toNanos();
        });
    }

    private static void write(Connection connection) throws SQLException {
        SessionLab.execute(connection, "INSERT INTO effect (text) VALUES ('x')");
    }

    @ParameterizedTest
    @ValueSource(strings = {"connection", "defer", "join", "deferJoined"})
    void areNotTakenForIdle(String how) {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            workFor(Duration.ofMillis(1_300));
            switch (how) {
                case "connection" -> write(context.connection());
                case "defer" -> context.defer(INSERT, payload);
                case "join" -> write(store.join().connection());
                default -> store.join().defer(INSERT, payload);
            }
        });
        assertThat(kinds(inbox.process(messages("x")))).containsExactly(Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("x");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("0");
    }

    /** H2 ends no idle transaction. */
    @Test
    void whoIsIdleHasFailed() {
        if (server == H2Server.FILES) {
            return;
        }
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            runs.incrementAndGet();
            long begun = System.nanoTime();
            await().until(() ->
                    System.nanoTime() - begun > Duration.ofMillis(2_500).toNanos());
            write(context.connection());
        });
        assertThat(kinds(inbox.process(messages("x")))).containsExactly(Kind.DEAD);
        assertThat(runs).hasValueLessThanOrEqualTo(2);
        assertThat(workshop.askAll("SELECT text FROM effect")).isEmpty();
    }

    /** On the others a connection that is lost behind such work says nothing about why. */
    @Test
    void lossBehindItOnPostgresqlIsNotTheHandlers() {
        if (!(server instanceof PostgresServer)) {
            return;
        }
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            workFor(Duration.ofMillis(1_300));
            if (runs.incrementAndGet() <= 2) {
                framework.bound().connection().abort(Runnable::run);
            }
            write(store.join().connection());
        });
        assertThat(kinds(inbox.process(messages("x")))).containsExactly(Kind.PROCESSED);
        assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("0");
    }
}
