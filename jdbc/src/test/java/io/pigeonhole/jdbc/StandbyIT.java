package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.assertj.core.api.SoftAssertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A server that was killed and comes back, first as a standby, then as the primary. */
class StandbyIT {
    @Test
    void standbyIsNobodysFailureAndThePrimaryGoesOnWhereItWas() throws IOException {
        Path directory = Path.of(System.getProperty("pigeonhole.target", "target"), "postgres");
        try (EmbeddedPostgres server = EmbeddedPostgres.start(directory)) {
            server.createDatabase("inbox");
            Schema.apply(server.dataSource("inbox"));
            StoreLab lab = StoreLab.of(server.dataSource("inbox"));
            Inbox<JdbcContext> inbox = inbox(lab.store());
            var message = StoreLab.message();
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                lab.claimed(transaction, message);
                transaction.commit();
            }
            Path signal = server.dataDirectory().resolve("standby.signal");

            server.kill();
            assertThatThrownBy(() -> lab.store().probe()).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> lab.store().maintain()).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> lab.begin().close()).isInstanceOf(StoreUnavailableException.class);
            assertAway(server.dataSource("inbox"), lab.store(), inbox);

            Files.createFile(signal);
            server.restart();
            assertThatThrownBy(() -> lab.store().probe())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("standby");
            assertAway(server.dataSource("inbox"), lab.store(), inbox);
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                Throwable refused = catchThrowable(
                        () -> transaction.claim(lab.consumer(), List.of(lab.keyOf(message)), StoreLab.LONG));
                assertThat(lab.store().classify(refused)).isEqualTo(ErrorClass.UNAVAILABLE);
            }

            server.kill();
            Files.delete(signal);
            server.restart();
            lab.store().probe();
            assertThat(lab.isNew(message)).isFalse();
            assertThat(lab.isNew(StoreLab.message())).isTrue();
        }
    }

    private static Inbox<JdbcContext> inbox(JdbcStore store) {
        return Inbox.builder("notes", store)
                .handle("note", PayloadDecoder.text(), (note, context) -> {})
                .build();
    }

    /** Callers decide by the exception whether to try again later, so that every call that writes has to throw the one for an outage. */
    private static void assertAway(DataSource dataSource, JdbcStore store, Inbox<JdbcContext> inbox) {
        Author author = new Author("me", "to try it");
        LogPartition partition = new LogPartition("log", 0);
        Map<String, ThrowingCallable> calls = Map.of(
                "process", () -> inbox.process(StoreLab.message()),
                "work", inbox::work,
                "maintain", store::maintain,
                "retire", store::retire,
                "create a store", () -> JdbcStore.create(dataSource),
                "build an inbox", () -> inbox(store),
                "pause", () -> store.admin().pause("notes", author),
                "requeue",
                        () -> store.admin()
                                .requeue(store.admin().select(DeadLetterFilter.of("notes")), Requeue.atOnce(), author),
                "acquire", () -> inbox.forSources().acquire(partition, "log"));
        SoftAssertions.assertSoftly(softly -> calls.forEach((name, call) ->
                softly.assertThatThrownBy(call).as(name).isInstanceOf(StoreUnavailableException.class)));
    }
}
