package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.WorkItem;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A message moves between work and dead letters while the keys are forgotten that are past their time: its own is kept. If it
 * were forgotten, another delivery of the message would be accepted, and take effect a second time.
 */
class ForgottenKeysIT {
    private final Message message = StoreLab.message();

    static Stream<DatabaseServer> servers() {
        return Stream.concat(Stream.of(H2Server.FILES), MariaDbServers.all());
    }

    @ParameterizedTest
    @MethodSource("servers")
    void keyOfADeadLetterThatComesBackMeanwhileIsKept(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = accepted(workshop);
            inTransaction(lab.store(), transaction -> deadLetter(lab, transaction, null));

            whileKeysAreForgotten(
                    workshop,
                    lab,
                    "SELECT ?, d.consumer_id",
                    transaction -> transaction.reopen(lab.consumer(), List.of(lab.keyOf(message))));

            assertThat(workshop.askAll("SELECT status FROM inbox_work")).containsExactly("received");
            assertThat(lab.isNew(message)).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void keyOfAMessageInWorkThatDiesMeanwhileIsKept(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = accepted(workshop);
            ReceivedMessage received = new ReceivedMessage(lab.keyOf(message), message, false);
            inTransaction(lab.store(), transaction -> transaction.receive(lab.consumer(), List.of(received)));

            whileKeysAreForgotten(workshop, lab, "SELECT ?, w.consumer_id", transaction -> {
                List<WorkItem> taken = transaction.take(lab.consumer(), 0, 1);
                deadLetter(lab, transaction, taken.get(0));
            });

            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter")).containsExactly("PERMANENT_FAILURE");
            assertThat(lab.isNew(message)).isFalse();
        }
    }

    /** A message whose key is past its time. It is neither in work nor dead yet. */
    private StoreLab accepted(Workshop workshop) {
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        StoreLab lab = new StoreLab(
                store, store.register(new ConsumerRegistration("moving", IdForm.TIME_ORDERED, KeyOrder.NONE, 1)));
        inTransaction(store, transaction -> lab.claimed(transaction, message));
        workshop.execute("UPDATE inbox_ledger SET accepted_at = accepted_at - INTERVAL '10' DAY");
        return lab;
    }

    /** The move goes on from its statement, and is committed, when the keys are forgotten or that waits for the move. */
    private void whileKeysAreForgotten(
            Workshop workshop, StoreLab lab, String statement, Consumer<InboxTransaction<JdbcContext>> move) {
        FutureTask<?> forgetting = new FutureTask<>(() -> forget(lab.store()), null);
        DataSource interposed = InterposedDataSource.before(1, statement, workshop.dataSource(), () -> {
            OwnThread.FOR_EACH.execute(forgetting);
            await().pollInterval(AnyDatabase.INTERVAL)
                    .until(() -> forgetting.isDone()
                            || !workshop.ask(AnyDatabase.waiting(workshop.server()))
                                    .equals("0"));
        });
        inTransaction(JdbcStore.create(interposed), move);
        assertThat(forgetting).succeedsWithin(StoreLab.LONG);
    }

    private static void forget(JdbcStore store) {
        while (store.retire().more()) {
            // The next piece.
        }
    }

    private void deadLetter(StoreLab lab, InboxTransaction<JdbcContext> transaction, @Nullable WorkItem item) {
        transaction.deadLetter(
                lab.consumer(),
                List.of(new DeadLetter(
                        lab.keyOf(message), message, DeadReason.PERMANENT_FAILURE, "for a test", true, null, item)));
    }

    private static void inTransaction(JdbcStore store, Consumer<InboxTransaction<JdbcContext>> step) {
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            step.accept(transaction);
            transaction.commit();
        }
    }
}
