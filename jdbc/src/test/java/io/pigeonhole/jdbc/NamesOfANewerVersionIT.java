package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.ReplayControl;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs of two versions run side by side, and the newer one has written names that the older one does not know. */
class NamesOfANewerVersionIT {
    private static final Author ANN = new Author("ann", "a test");
    private static final PageRequest ALL = PageRequest.first(100);

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void deadLetterOfAReasonThatIsNotKnownIsShownDiscardedAndRequeuedBesideTheOthers(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            Admin admin = lab.store().admin();
            String consumer = lab.consumer().name();
            Message newer = StoreLab.message("newer");
            Message older = StoreLab.message("older");
            Message another = StoreLab.message("another");
            deadLetter(lab, newer, another, older);
            workshop.execute(
                    "UPDATE inbox_dead_letter SET reason = 'EXPIRED', detail = 'after 7 days' WHERE message_key <> ?",
                    server.parameter(lab.keyOf(older)));

            List<DeadLetterEntry> letters =
                    admin.deadLetters(DeadLetterFilter.of(consumer), ALL).entries();
            assertThat(letters)
                    .extracting(DeadLetterEntry::reason)
                    .containsExactlyInAnyOrder(DeadReason.UNKNOWN, DeadReason.UNKNOWN, DeadReason.PERMANENT_FAILURE);
            assertThat(letters)
                    .extracting(DeadLetterEntry::detail)
                    .containsExactlyInAnyOrder("EXPIRED: after 7 days", "EXPIRED: after 7 days", "for a test");
            assertThat(admin.show(consumer, lab.keyOf(newer)))
                    .map(MessageDetails::deadLetter)
                    .map(DeadLetterEntry::reason)
                    .contains(DeadReason.UNKNOWN);
            assertThat(admin.discard(consumer, lab.keyOf(newer), ANN).hasChanged())
                    .isTrue();

            assertThat(admin.requeue(consumer, lab.keyOf(another), Requeue.atOnce(), ANN)
                            .hasChanged())
                    .isTrue();

            assertThat(audit(lab).get(1).detail()).endsWith("; EXPIRED: after 7 days");
            assertThat(admin.deadLetters(DeadLetterFilter.of(consumer), ALL).entries())
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void actionThatIsNotKnownIsShownInTheAudit(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            Admin admin = lab.store().admin();
            String consumer = lab.consumer().name();
            Message message = StoreLab.message();
            deadLetter(lab, message, StoreLab.message());
            admin.requeue(consumer, lab.keyOf(message), Requeue.atOnce(), ANN);
            admin.pause(consumer, ANN);
            workshop.execute("UPDATE inbox_audit SET action = 'MOVE', detail = 'elsewhere' WHERE action = 'REQUEUE'");
            workshop.execute("UPDATE inbox_audit SET action = 'SUSPEND' WHERE action = 'PAUSE'");

            assertThat(audit(lab)).extracting(AuditEntry::action).containsOnly(AdminAction.UNKNOWN);
            assertThat(audit(lab)).extracting(AuditEntry::detail).containsExactly("SUSPEND", "MOVE: elsewhere");
            assertThat(admin.show(consumer, lab.keyOf(message)).orElseThrow().audit())
                    .extracting(AuditEntry::detail)
                    .containsExactly("MOVE: elsewhere");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void deduplicationThatIsNotKnownIsRefusedWithWhatToDo(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            String consumer = lab.consumer().name();
            workshop.execute("UPDATE inbox_consumer SET deduplication = 'BY_HASH'");

            assertThatThrownBy(() -> lab.store().register(new ConsumerRegistration(consumer, IdForm.TIME_ORDERED)))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContainingAll(consumer, "Deduplication 'BY_HASH'", "newer version", "WATERMARKS");
        }
    }

    /** Where a newer version's script has let more states into the tables. */
    @ParameterizedTest
    @MethodSource("postgres")
    void stateThatIsNotKnownIsRefusedWithWhatToDo(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            Message message = StoreLab.message();
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                lab.claimed(transaction, message);
                transaction.receive(lab.consumer(), List.of(new ReceivedMessage(lab.keyOf(message), message, false)));
                transaction.commit();
            }
            workshop.execute("ALTER TABLE inbox_work DROP CONSTRAINT inbox_work_status_check");
            workshop.execute("UPDATE inbox_work SET status = 'held'");
            workshop.execute("ALTER TABLE inbox_replay DROP CONSTRAINT inbox_replay_state_check");
            workshop.execute(
                    "INSERT INTO inbox_replay (name, consumer_id, recovery, state, cutoff, mark, position, done,"
                            + " skipped, who, reason, created_at, updated_at)"
                            + " VALUES ('again', 1, FALSE, 'QUEUED', 0, 0, 0, 0, 0, 'ann', 'a test', now(), now())");

            assertThatThrownBy(() -> lab.store()
                            .admin()
                            .work(WorkFilter.of(lab.consumer().name()), ALL))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContainingAll("inbox_work", "MessageStatus 'HELD'", "newer version");
            assertThatThrownBy(() -> ReplayControl.of(lab.store()).list())
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContainingAll("replay 'again'", "ReplayState 'QUEUED'", "newer version");
        }
    }

    static Stream<PostgresServer> postgres() {
        return PostgresServers.all();
    }

    private static List<AuditEntry> audit(StoreLab lab) {
        return lab.store().admin().audit(lab.consumer().name(), ALL).entries();
    }

    private static void deadLetter(StoreLab lab, Message... messages) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            for (Message message : messages) {
                lab.claimed(transaction, message);
                transaction.deadLetter(
                        lab.consumer(),
                        List.of(new DeadLetter(
                                lab.keyOf(message), message, DeadReason.PERMANENT_FAILURE, "for a test", true, null)));
            }
            transaction.commit();
        }
    }
}
