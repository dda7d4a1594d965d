package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A user may add columns to our tables, whatever their names are. */
@Tag("D9")
class OwnColumnsIT {
    private static final Author ANN = new Author("ann", "a test");

    private final AtomicBoolean fails = new AtomicBoolean(true);

    static Stream<Arguments> all() {
        return AnyDatabase.all()
                .flatMap(server -> Stream.of(KeyOrder.values()).map(order -> Arguments.of(server, order)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void messagesLiveDieAndComeBackBesideColumnsOfAUsersOwn(DatabaseServer server, KeyOrder order) {
        try (Workshop workshop = server.schema()) {
            for (String table : List.of("inbox_work", "inbox_dead_letter", "inbox_history")) {
                for (String column :
                        List.of("bytes", "place", "locked", "delay", "wanted", "number", "total", "ready")) {
                    workshop.execute("ALTER TABLE " + table + " ADD COLUMN " + column + " integer");
                }
            }
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                    .order(order)
                    .history(HistoryMode.WITH_PAYLOAD)
                    .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(2))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> fail())
                    .handleExternal("call", PayloadDecoder.text(), (payload, context) -> {
                        fail();
                        return completion -> {};
                    })
                    .build();

            assertThat(inbox.process(message("note"))).isInstanceOf(Outcome.Parked.class);
            inbox.process(message("call"));
            inbox.work();

            Admin admin = store.admin();
            assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("2");
            assertThat(admin.requeue(admin.select(DeadLetterFilter.of("notes")), Requeue.atOnce(), ANN)
                            .requeued())
                    .isEqualTo(2);
            workshop.execute(
                    "UPDATE inbox_work SET status = 'leased', attempts = attempts + 1, lease_until = received_at,"
                            + " leased_at = received_at, lease_owner = 'gone' WHERE type = 'call'");
            fails.set(false);
            inbox.work();

            assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo("0");
            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("2");
            Replay<JdbcContext> replay = Replay.builder("again", "notes", store, ANN)
                    .into(PayloadDecoder.text(), (payload, context) -> {})
                    .build();
            assertThat(replay.run().done()).isEqualTo(2);
        }
    }

    private void fail() {
        if (fails.get()) {
            throw new IllegalStateException("no");
        }
    }

    private static Message message(String type) {
        return Message.builder("queue")
                .id(type)
                .type(type)
                .orderingKey("key of " + type)
                .payload("x")
                .build();
    }
}
