package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** An UPDATE that does nothing and names no error: MariaDB 11.4 answers so where it is cancelled. Each has this happen once. */
@ParameterizedClass
@MethodSource("servers")
@Tag("E18")
class SilentUpdateIT {
    private static final Author BY = new Author("ann", "a look");

    private final Workshop workshop;

    SilentUpdateIT(DatabaseServer server) {
        workshop = server.schema();
    }

    static Stream<DatabaseServer> servers() {
        return Stream.concat(MariaDbServers.all().limit(1), Stream.of(H2Server.FILES));
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private JdbcStore store(String table, String change) {
        return JdbcStore.builder(SilentDataSource.onceChanging(table, change, workshop.dataSource()))
                .build();
    }

    private static InboxBuilder<JdbcContext> inbox(JdbcStore store) {
        return Inbox.builder("it", store).lease(Duration.ofMinutes(5));
    }

    private static void work(Inbox<JdbcContext> inbox) {
        try {
            inbox.work();
        } catch (RetryableException | StoreException e) {
            assertThat(e).hasStackTraceContaining("cancelled");
        }
    }

    @Test
    void leavesNoExternalHandlerWithoutALease() {
        List<String> leases = Collections.synchronizedList(new ArrayList<>());
        Inbox<JdbcContext> inbox = inbox(store("inbox_work", "status = 'leased'"))
                .handleExternal("note", PayloadDecoder.text(), (payload, context) -> {
                    leases.add(workshop.ask("SELECT concat(status, ' ', attempts) FROM inbox_work"));
                    return Completion.nothing();
                })
                .build();
        inbox.receive(messages("only"));
        work(inbox);
        work(inbox);
        assertThat(leases).containsExactly("leased 1");
    }

    @Test
    void leavesNoMessageDueThatIsToWait() {
        List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());
        Inbox<JdbcContext> inbox = inbox(store("inbox_work", "status = 'parked', attempts"))
                .retry(RetryPolicy.fixed(Duration.ofHours(1)).maxAttempts(5))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    attempts.add(context.attempt());
                    throw new IllegalStateException("no");
                })
                .build();
        inbox.receive(messages("only"));
        for (int i = 0; i < 4; i++) {
            work(inbox);
        }
        assertThat(attempts).containsOnly(1).hasSizeLessThan(3);
        assertThat(workshop.ask("SELECT attempts FROM inbox_work")).isEqualTo("1");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("1");
    }

    @Test
    void doesNotSayThatAConsumerIsPausedAlready() {
        JdbcStore store = store("inbox_consumer", "paused");
        inbox(store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build()
                .work();
        assertThatThrownBy(() -> store.admin().pause("it", BY)).hasMessageContaining("cancelled");
        store.admin().pause("it", BY);
        assertThat(workshop.ask("SELECT CASE WHEN paused THEN 'yes' ELSE 'no' END FROM inbox_consumer"))
                .isEqualTo("yes");
    }

    @Test
    void doesNotSayThatAMessageIsDue() {
        JdbcStore store = store("inbox_work", "due_at");
        Inbox<JdbcContext> inbox = inbox(store)
                .retry(RetryPolicy.fixed(Duration.ofHours(1)))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new IllegalStateException("no");
                })
                .build();
        inbox.process(messages("only"));
        MessageKey key = workshop.askKey("SELECT message_key FROM inbox_work");
        String before = workshop.ask("SELECT due_at FROM inbox_work");
        assertThatThrownBy(() -> store.admin().retryNow("it", key, BY)).hasMessageContaining("cancelled");
        store.admin().retryNow("it", key, BY);
        assertThat(workshop.ask("SELECT due_at FROM inbox_work")).isNotEqualTo(before);
        assertThat(workshop.ask("SELECT count(*) FROM inbox_audit")).isEqualTo("1");
    }

    /** Nobody could tell which of a batch were changed. */
    @Test
    void driverThatDoesNotCountIsRefused() {
        if (workshop.server() instanceof H2Server) {
            return;
        }
        assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource("&useBulkStmts=true")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("useBulkStmts");
    }
}
