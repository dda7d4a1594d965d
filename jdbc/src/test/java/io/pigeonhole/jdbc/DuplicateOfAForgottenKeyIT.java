package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A key is past its time, and its message comes again while it is forgotten: it is one or the other, and never accepted twice. */
@Tag("F44")
class DuplicateOfAForgottenKeyIT {
    /** On H2 a claim looks first, which waits for nobody: it meets the row as long as that is there. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void whoeverComesWhileItsRowIsBeingDeletedIsNewOnceItIsGone(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            Message message = accepted(lab);

            boolean isNew = isNewWhileItsRowIsBeingDeleted(workshop, lab, message, true);

            assertThat(isNew).isEqualTo(!(server instanceof H2Server));
            assertThat(isNew || isAccepted(lab, message)).isTrue();
            assertThat(isAccepted(lab, message)).isFalse();
            assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void whoeverComesWhileItsRowIsBeingDeletedIsADuplicateWhereItStays(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            Message message = accepted(lab);

            assertThat(isNewWhileItsRowIsBeingDeleted(workshop, lab, message, false))
                    .isFalse();
            assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void everyMessageThatIsAcceptedAgainDuringAPurgeIsKnownAfterwards(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            List<Message> messages =
                    Stream.generate(() -> accepted(lab)).limit(25).toList();
            workshop.execute("UPDATE inbox_ledger SET accepted_at = accepted_at - INTERVAL '10' DAY");

            CompletableFuture<Void> forgetting = CompletableFuture.runAsync(() -> forget(lab), OwnThread.FOR_EACH);
            List<Message> acceptedAgain = messages.stream()
                    .filter(message -> isAccepted(lab, message))
                    .toList();
            assertThat(forgetting).succeedsWithin(StoreLab.LONG);
            // On MariaDB a pass leaves out the rows that a claim was looking at, and the next one waits for its time.
            workshop.execute("UPDATE inbox_upkeep SET next_at = next_at - INTERVAL '10' DAY");
            forget(lab);

            assertThat(acceptedAgain).noneMatch(lab::isNew);
            assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("" + acceptedAgain.size());
        }
    }

    private static boolean isNewWhileItsRowIsBeingDeleted(
            Workshop workshop, StoreLab lab, Message message, boolean committed) throws SQLException {
        try (Connection purge = workshop.dataSource().getConnection();
                Statement statement = purge.createStatement()) {
            purge.setAutoCommit(false);
            assertThat(statement.executeUpdate("DELETE FROM inbox_ledger")).isEqualTo(1);
            CompletableFuture<Boolean> claim =
                    CompletableFuture.supplyAsync(() -> isAccepted(lab, message), OwnThread.FOR_EACH);
            await().pollInterval(AnyDatabase.INTERVAL)
                    .until(() -> claim.isDone()
                            || !workshop.ask(AnyDatabase.waiting(workshop.server()))
                                    .equals("0"));
            if (committed) {
                purge.commit();
            } else {
                purge.rollback();
            }
            assertThat(claim).succeedsWithin(StoreLab.LONG);
            return claim.join();
        }
    }

    private static Message accepted(StoreLab lab) {
        Message message = StoreLab.message();
        assertThat(isAccepted(lab, message)).isTrue();
        return message;
    }

    private static boolean isAccepted(StoreLab lab, Message message) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            boolean claimed = !transaction
                    .claim(lab.consumer(), List.of(lab.keyOf(message)), StoreLab.LONG)
                    .claimed()
                    .isEmpty();
            transaction.commit();
            return claimed;
        }
    }

    private static void forget(StoreLab lab) {
        while (lab.store().retire().more()) {
            // The next piece.
        }
    }
}
