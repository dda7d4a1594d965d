package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What stands in the tables, as a person or another program reads it. */
@OnEveryServer
class RowsIT {
    private static final FailedAttempt ATTEMPT = new FailedAttempt(
            2, "node\0", Duration.ofMillis(1500), "java.lang.Exception", "it \0 failed \ud800", "at a line\0");

    private final Workshop workshop;
    private final StoreLab lab;

    RowsIT(PostgresServer server) {
        this.workshop = server.schema();
        this.lab = StoreLab.of(workshop.dataSource());
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void viewShowsEveryMessageWithItsStatus() {
        Message processed = StoreLab.message("processed");
        Message recorded = StoreLab.message("recorded");
        Message parked = StoreLab.message("parked");
        Message dead = StoreLab.message("dead");
        Message late = StoreLab.message("late");
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            List.of(processed, recorded, parked, dead).forEach(message -> lab.claimed(transaction, message));
            transaction.park(lab.consumer(), List.of(parked(parked)));
            transaction.deadLetter(
                    lab.consumer(),
                    List.of(
                            new DeadLetter(
                                    lab.keyOf(dead), dead, DeadReason.RETRIES_EXHAUSTED, "it failed", true, ATTEMPT),
                            new DeadLetter(lab.keyOf(late), late, DeadReason.LATE, "too old", false, null)));
            transaction.record(lab.consumer(), List.of(new FinishedMessage(lab.keyOf(recorded), recorded, 1, false)));
            transaction.commit();
        }

        assertThat(workshop.askAll(
                        "SELECT status || ' ' || coalesce(id, '?') || ' ' || coalesce(error, '')"
                                + " FROM inbox WHERE consumer = ? ORDER BY 1",
                        lab.consumer().name()))
                .containsExactly(
                        "dead dead RETRIES_EXHAUSTED: it failed",
                        "dead late LATE: too old",
                        "parked parked java.lang.Exception: it \uFFFD failed \uFFFD",
                        "processed ? ",
                        "processed recorded ");
    }

    @Test
    void viewShowsMessagesWhoseLedgerDayIsGoneFromTheHistory() {
        Message message = StoreLab.message("old");
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            lab.claimed(transaction, message);
            transaction.record(lab.consumer(), List.of(new FinishedMessage(lab.keyOf(message), message, 3, true)));
            transaction.commit();
        }
        workshop.execute("DELETE FROM inbox_ledger");

        assertThat(workshop.askAll(
                        "SELECT status || ' ' || id || ' ' || attempts FROM inbox WHERE consumer = ?",
                        lab.consumer().name()))
                .containsExactly("processed old 3");
    }

    @Test
    void parkedMessageIsDueByTheDatabasesClockAndItsAttemptIsKept() {
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            lab.claimed(transaction, message);
            transaction.park(lab.consumer(), List.of(parked(message)));
            transaction.commit();
        }

        assertThat(workshop.ask(
                        "SELECT status || ' ' || attempts || ' ' || (due_at > received_at + interval '59 minutes')"
                                + " || ' ' || (due_at <= clock_timestamp() + interval '1 hour') FROM inbox_work"))
                .isEqualTo("parked 2 true true");
        assertThat(workshop.ask(
                        "SELECT number || ' ' || node || ' ' || duration_ms || ' ' || error_class || ' ' || message"
                                + " || ' ' || stack || ' ' || (started_at < clock_timestamp() - interval '1.4 seconds')"
                                + " FROM inbox_attempt AS a JOIN inbox_work USING (consumer_id, message_key)"))
                .isEqualTo("2 node\uFFFD 1500 java.lang.Exception it \uFFFD failed \uFFFD at a line\uFFFD true");
    }

    @Test
    void textThatNoTextColumnTakesIsKeptReadable() {
        Message message = Message.builder("no\0tes")
                .id("a\0b")
                .type("ty\0pe")
                .contentType("text\0/plain")
                .origin("notes-0@17\0")
                .orderingKey("key\0")
                .headers(Headers.none().with("na\0me", "\0"))
                .payload("\0")
                .build();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            lab.claimed(transaction, message);
            transaction.park(lab.consumer(), List.of(parked(message)));
            transaction.commit();
        }

        assertThat(workshop.ask("SELECT source || type || content_type || origin || encode(message_id, 'escape')"
                        + " || encode(payload, 'hex') FROM inbox_work"))
                .isEqualTo("no\uFFFDtesty\uFFFDpetext\uFFFD/plainnotes-0@17\uFFFDa\\000b00");
    }

    @Test
    void letterThatIsThereAlreadyGetsNoSecondAttempt() {
        Message message = StoreLab.message();
        DeadLetter letter =
                new DeadLetter(lab.keyOf(message), message, DeadReason.PERMANENT_FAILURE, "never", true, ATTEMPT);
        for (int i = 0; i < 2; i++) {
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                transaction.deadLetter(lab.consumer(), List.of(letter));
                transaction.commit();
            }
        }
        assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("1");
    }

    @Test
    void registrationAtEveryStartUsesUpNoNumbers() {
        for (int i = 0; i < 20; i++) {
            lab.store().register(new ConsumerRegistration(lab.consumer().name(), IdForm.TIME_ORDERED));
        }
        assertThat(lab.store()
                        .register(new ConsumerRegistration("next", IdForm.OPAQUE))
                        .id())
                .isEqualTo((short) (lab.consumer().id() + 1));
    }

    @Test
    void lastNumberIsUsedAndThenItIsSaidClearly() {
        workshop.execute("ALTER TABLE inbox_consumer ALTER COLUMN id RESTART WITH 32767");

        assertThat(lab.store()
                        .register(new ConsumerRegistration("last", IdForm.OPAQUE))
                        .id())
                .isEqualTo(Short.MAX_VALUE);
        assertThatThrownBy(() -> lab.store().register(new ConsumerRegistration("one more", IdForm.OPAQUE)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("32,767");
    }

    @Test
    void schemaNeedsNoSuperuser() {
        String role = "pigeonhole_it_" + ProcessHandle.current().pid();
        workshop.execute("DROP ROLE IF EXISTS " + role);
        workshop.execute("CREATE ROLE " + role + " LOGIN");
        workshop.execute("CREATE SCHEMA ordinary AUTHORIZATION " + role);
        try {
            var ordinary = PostgresServers.dataSource(workshop.url()
                    .replace("user=postgres", "user=" + role)
                    .replaceAll("currentSchema=\\w+", "currentSchema=ordinary"));
            Schema.apply(ordinary);
            StoreLab.of(ordinary).store().maintain();
        } finally {
            workshop.execute("DROP SCHEMA ordinary CASCADE");
            workshop.execute("DROP ROLE " + role);
        }
    }

    private ParkedMessage parked(Message message) {
        return new ParkedMessage(lab.keyOf(message), message, Duration.ofHours(1), ATTEMPT);
    }
}
