package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The view and the admin API say the same of a message that was discarded, and came again. */
@Tag("D12")
class DiscardedViewIT {
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void messageThatIsProcessedAfterItWasDiscardedIsShownAsProcessed(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            Message message = StoreLab.message("again");
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                transaction.deadLetter(
                        lab.consumer(),
                        List.of(new DeadLetter(
                                lab.keyOf(message), message, DeadReason.FROM_THE_FUTURE, "too young", false, null)));
                transaction.commit();
            }
            lab.store()
                    .admin()
                    .discard(lab.consumer().name(), lab.keyOf(message), new Author("ann", "no longer wanted"));

            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                lab.claimed(transaction, message);
                transaction.commit();
            }

            assertThat(lab.store().admin().show(lab.consumer().name(), lab.keyOf(message)))
                    .map(MessageDetails::status)
                    .contains(MessageStatus.PROCESSED);
            assertThat(workshop.askAll("SELECT status FROM inbox")).containsExactly("processed");
        }
    }
}
