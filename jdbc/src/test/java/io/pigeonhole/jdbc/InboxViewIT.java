package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The view for people on databases without PostgreSQL's abilities; its own is tested by {@link RowsIT}. */
@ParameterizedClass
@MethodSource("servers")
class InboxViewIT {
    private static final FailedAttempt ATTEMPT =
            new FailedAttempt(2, "node", Duration.ofMillis(1500), "java.lang.Exception", "it failed", "at a line");

    private final Workshop workshop;
    private final StoreLab lab;

    InboxViewIT(DatabaseServer server) {
        this.workshop = server.schema();
        this.lab = StoreLab.of(workshop.dataSource());
    }

    static Stream<DatabaseServer> servers() {
        return Stream.concat(MariaDbServers.all(), Stream.of(H2Server.FILES));
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    private List<String> shown(String columns) {
        return workshop.askAll("SELECT CONCAT(" + columns + ") FROM inbox WHERE consumer <> 'ordered' ORDER BY 1");
    }

    @Test
    void everyMessageIsShownWithItsStatus() {
        Message processed = StoreLab.message("processed");
        Message recorded = StoreLab.message("recorded");
        Message parked = StoreLab.message("parked");
        Message dead = StoreLab.message("größe");
        Message late = StoreLab.message("late");
        Message discarded = StoreLab.message("discarded");
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            List.of(processed, recorded, parked, dead, discarded).forEach(message -> lab.claimed(transaction, message));
            transaction.park(
                    lab.consumer(),
                    List.of(
                            new ParkedMessage(lab.keyOf(parked), parked, Duration.ofHours(1), ATTEMPT),
                            new ParkedMessage(lab.keyOf(discarded), discarded, Duration.ofHours(1), ATTEMPT)));
            transaction.deadLetter(
                    lab.consumer(),
                    List.of(
                            new DeadLetter(
                                    lab.keyOf(dead), dead, DeadReason.RETRIES_EXHAUSTED, "it failed", true, ATTEMPT),
                            new DeadLetter(lab.keyOf(late), late, DeadReason.LATE, "too old", false, null)));
            transaction.record(lab.consumer(), List.of(new FinishedMessage(lab.keyOf(recorded), recorded, 1, false)));
            transaction.commit();
        }
        lab.store().admin().discard(lab.consumer().name(), lab.keyOf(discarded), new Author("ann", "no longer wanted"));

        assertThat(shown("status, ' ', COALESCE(id, '?'), ' ', COALESCE(error, '')"))
                .containsExactly(
                        "dead größe RETRIES_EXHAUSTED: it failed",
                        "dead late LATE: too old",
                        "discarded ? ",
                        "parked parked java.lang.Exception: it failed",
                        "processed ? ",
                        "processed recorded ");
        assertThat(workshop.askAll("SELECT message_key FROM inbox WHERE id = 'parked'"))
                .containsExactly(lab.keyOf(parked).toString());
    }

    @Test
    void messagesWhoseLedgerDayIsGoneAreShownFromTheHistory() {
        Message message = StoreLab.message("old");
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            lab.claimed(transaction, message);
            transaction.record(lab.consumer(), List.of(new FinishedMessage(lab.keyOf(message), message, 3, true)));
            transaction.commit();
        }
        workshop.execute("DELETE FROM inbox_ledger");

        assertThat(shown("status, ' ', id, ' ', attempts")).containsExactly("processed old 3");
    }

    @Test
    void messagesBehindOneOfTheirKeyAreShownAsBlocked() {
        RegisteredConsumer ordered = lab.store()
                .register(new ConsumerRegistration("ordered", IdForm.TIME_ORDERED, KeyOrder.SKIP_DEAD_LETTERS, 1));
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.lock(ordered, List.of(0), StoreLab.LONG);
            for (String id : List.of("first", "second")) {
                Message message = Message.builder("notes")
                        .id(id)
                        .type("note")
                        .orderingKey("a key")
                        .build();
                transaction.receive(
                        ordered,
                        List.of(new ReceivedMessage(
                                ordered.keys().keyOf("notes", Objects.requireNonNull(message.id())), message, false)));
            }
            transaction.commit();
        }

        assertThat(workshop.askAll("SELECT CONCAT(id, ' ', ordering_key) FROM inbox WHERE NOT blocked"))
                .containsExactly("first a key");
        assertThat(workshop.askAll("SELECT CONCAT(id, ' ', ordering_key) FROM inbox WHERE blocked"))
                .containsExactly("second a key");
    }
}
