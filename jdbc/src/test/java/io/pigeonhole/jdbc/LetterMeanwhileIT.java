package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.jdbc.dialect.H2;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On H2, a letter of the same message that others write, or write and remove, while a message is dead-lettered. */
@Tag("B-principle")
class LetterMeanwhileIT {
    private static final Author ANN = new Author("ann", "a test");
    private static final long FAR = 5000;

    private final AtomicReference<Runnable> beforeTheInsert = new AtomicReference<>(() -> {});
    private final AtomicReference<Runnable> afterTheDuplicate = new AtomicReference<>(() -> {});

    /** Lets others in where a key is there already. */
    private final class Interrupted extends H2 {
        @Override
        public boolean isDuplicateKey(SQLException failure) {
            boolean duplicate = super.isDuplicateKey(failure);
            if (duplicate) {
                afterTheDuplicate.getAndSet(() -> {}).run();
            }
            return duplicate;
        }
    }

    private static Message message(String id) {
        return Message.builder("queue")
                .id(id)
                .type("note")
                .payload(id)
                .orderingKey(id)
                .build();
    }

    private static Inbox<JdbcContext> inbox(JdbcStore store, boolean forGood) {
        return Inbox.builder("notes", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw forGood ? new PermanentFailure(payload) : new IllegalStateException(payload);
                })
                .order(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                .retry(RetryPolicy.fixed(Duration.ofDays(1)))
                .build();
    }

    private static String letter(MessageKey key, long id, boolean claimed) {
        return "INSERT INTO inbox_dead_letter (id, consumer_id, message_key, work_partition, ordered, by_lease, blocks, reason,"
                + " detail, claimed, attempts, seen_again, received_at, died_at, source, headers) VALUES (" + id
                + ", 1, X'" + HexFormat.of().formatHex(key.toBytes()) + "', 0, FALSE, FALSE, FALSE, 'LATE', '', "
                + claimed + ", 0, 3, LOCALTIMESTAMP, LOCALTIMESTAMP, 'queue', X'')";
    }

    private static MessageKey key(Inbox<JdbcContext> inbox, Message message) {
        return inbox.registered().keys().keyOf("queue", Objects.requireNonNull(message.id()));
    }

    @Test
    void letterWhoseForerunnerIsGoneKeepsItsPlace() {
        try (Workshop workshop = H2Server.FILES.schema()) {
            DataSource interposed = InterposedDataSource.before(
                    1,
                    "inbox_dead_letter (id,",
                    workshop.dataSource(),
                    () -> beforeTheInsert.getAndSet(() -> {}).run());
            Inbox<JdbcContext> inbox = inbox(
                    JdbcStore.builder(interposed).dialect(new Interrupted()).build(), true);
            Message message = message("dies");
            workshop.execute(letter(key(inbox, message("other")), FAR, true));
            beforeTheInsert.set(() -> workshop.execute(letter(key(inbox, message), FAR + 1, true)));
            afterTheDuplicate.set(() -> workshop.execute("DELETE FROM inbox_dead_letter WHERE id = " + (FAR + 1)));

            assertThat(inbox.process(message).kind()).isEqualTo(Kind.DEAD);
            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter WHERE id < " + FAR))
                    .containsExactly("PERMANENT_FAILURE");
            assertThat(workshop.askAll("SELECT seen_again FROM inbox_dead_letter WHERE id < " + FAR))
                    .containsExactly("0");
        }
    }

    @Test
    void skippedMessageTakesThePlaceOfItsLetterThatCameMeanwhile() {
        try (Workshop workshop = H2Server.FILES.schema()) {
            JdbcStore store = JdbcStore.create(InterposedDataSource.before(
                    1,
                    "'SKIPPED'",
                    workshop.dataSource(),
                    () -> beforeTheInsert.getAndSet(() -> {}).run()));
            Inbox<JdbcContext> inbox = inbox(store, false);
            Message message = message("blocks");
            assertThat(inbox.process(message).kind()).isEqualTo(Kind.PARKED);
            String place = workshop.ask("SELECT id FROM inbox_work");
            beforeTheInsert.set(() -> workshop.execute(letter(key(inbox, message), FAR, false)));

            Answer answer = store.admin().unblock("notes", OrderingKey.of("blocks"), ANN);
            assertThat(answer.kind()).as(answer.detail()).isEqualTo(Answer.Kind.DONE);
            assertThat(workshop.askAll("SELECT id || ' ' || reason || ' ' || seen_again FROM inbox_dead_letter"))
                    .containsExactly(place + " SKIPPED 4");
            assertThat(workshop.askAll("SELECT id FROM inbox_work")).isEmpty();
        }
    }
}
