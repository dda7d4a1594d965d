package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.retry.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A deletion that does nothing and names no error: MariaDB answers so where it is cancelled. Each has this happen once. */
@ParameterizedClass
@MethodSource("servers")
@Tag("E18")
class SilentDeletionIT {
    private final Workshop workshop;

    SilentDeletionIT(DatabaseServer server) {
        workshop = server.schema();
    }

    static Stream<DatabaseServer> servers() {
        return Stream.concat(MariaDbServers.all().limit(1), Stream.of(H2Server.FILES));
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private JdbcStore store(String silent) {
        return JdbcStore.builder(SilentDataSource.onceDeleting(silent, workshop.dataSource()))
                .build();
    }

    private static InboxBuilder<JdbcContext> inbox(JdbcStore store) {
        return Inbox.builder("it", store)
                .retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(100))
                .lease(Duration.ofSeconds(1));
    }

    private static void write(String payload, JdbcContext context) throws SQLException {
        SessionLab.execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
    }

    private void workUntilDone(Inbox<JdbcContext> inbox) {
        while (!workshop.ask("SELECT count(*) FROM inbox_work").equals("0")) {
            try {
                inbox.work();
            } catch (RetryableException | StoreException e) {
                assertThat(e).hasMessageContaining("cancelled");
            }
        }
    }

    private void assertEffects(String... effects) {
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly(effects);
    }

    @Test
    void leavesNoMessageOfAnExternalHandlerInWork() {
        Inbox<JdbcContext> inbox = inbox(store("inbox_work"))
                .handleExternal(
                        "note", PayloadDecoder.text(), (payload, context) -> database -> write(payload, database))
                .build();
        inbox.receive(messages("only"));
        workUntilDone(inbox);
        assertEffects("only");
    }

    @Test
    void leavesNoMessageInWork() {
        Inbox<JdbcContext> inbox = inbox(store("inbox_work"))
                .handle("note", PayloadDecoder.text(), SilentDeletionIT::write)
                .build();
        inbox.receive(messages("a", "b", "c"));
        workUntilDone(inbox);
        assertEffects("a", "b", "c");
    }

    @Test
    void leavesNoMessageInWorkThatIsDead() {
        Inbox<JdbcContext> inbox = inbox(store("inbox_work"))
                .retry(RetryPolicy.never())
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new IllegalStateException("no");
                })
                .build();
        inbox.receive(messages("only"));
        workUntilDone(inbox);
        assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("1");
    }

    /** The mark by which a framework's COMMIT is known is there, although its deletion says that it is not. */
    @Test
    void doesNotSayThatAFrameworkHasRolledBack() {
        ThreadBoundTransactions framework =
                new ThreadBoundTransactions(SilentDataSource.onceDeleting("inbox_ledger", workshop.dataSource()));
        JdbcStore store =
                JdbcStore.builder(workshop.dataSource()).transactions(framework).build();
        Inbox<JdbcContext> inbox = inbox(store)
                .handle(
                        "note",
                        PayloadDecoder.text(),
                        (payload, context) -> SessionLab.execute(
                                framework.bound().connection(), "INSERT INTO effect (text) VALUES ('x')"))
                .build();
        inbox.receive(messages("only"));
        assertThat(inbox.work()).isEqualTo(1);
        assertEffects("x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"requeue", "discard"})
    void leavesNoDeadLetterBehind(String how) {
        JdbcStore store = store("inbox_dead_letter");
        Inbox<JdbcContext> inbox = inbox(store)
                .retry(RetryPolicy.never())
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new IllegalStateException("no");
                })
                .build();
        inbox.process(messages("only"));
        MessageKey key = workshop.askKey("SELECT message_key FROM inbox_dead_letter");
        Admin admin = store.admin();
        Author by = new Author("ann", "mended");
        untilDone(() -> {
            if (how.equals("requeue")) {
                admin.requeue("it", key, Requeue.atOnce(), by);
            } else {
                admin.discard("it", key, by);
            }
        });
        assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("0");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo(how.equals("requeue") ? "1" : "0");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_audit")).isEqualTo("1");
    }

    private static void untilDone(Runnable change) {
        for (int tries = 0; tries < 3; tries++) {
            try {
                change.run();
                return;
            } catch (RetryableException | StoreException e) {
                assertThat(e).hasMessageContaining("cancelled");
            }
        }
    }
}
