package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows of {@code inbox_work_partition} that are gone, as behind TRUNCATE or where rows come from PostgreSQL, which has no such table. */
@Tag("D1")
class LostWorkPartitionsIT {
    private final AtomicBoolean failing = new AtomicBoolean(true);

    static Stream<DatabaseServer> servers() {
        return Stream.concat(MariaDbServers.all(), Stream.of(H2Server.FILES));
    }

    private Inbox<JdbcContext> register(Workshop workshop, KeyOrder order) {
        return Inbox.builder("notes", JdbcStore.create(workshop.dataSource()))
                .order(order)
                .workPartitions(4)
                .retry(RetryPolicy.fixed(Duration.ofDays(1)))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (failing.get()) {
                        throw new IllegalStateException("of the test");
                    }
                })
                .build();
    }

    private static Message.Builder message(String id) {
        return Message.builder("queue").id(id).type("note").payload(id);
    }

    @ParameterizedTest
    @MethodSource("servers")
    void whatIsParkedIsFoundOnceTheConsumerIsRegisteredAgain(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = register(workshop, KeyOrder.NONE);
            String workPartitions = workshop.ask("SELECT count(*) FROM inbox_work_partition");
            assertThat(inbox.process(message("1").build()).kind()).isEqualTo(Kind.PARKED);
            workshop.execute("DELETE FROM inbox_work_partition WHERE kind = 'work' OR work_partition > 1");
            workshop.execute("UPDATE inbox_work SET due_at = received_at");
            failing.set(false);

            assertThat(register(workshop, KeyOrder.NONE).work()).isEqualTo(1);
            assertThat(workshop.ask("SELECT count(*) FROM inbox_work_partition"))
                    .isEqualTo(workPartitions);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void messageWithAKeyIsTakenAgainOnceTheConsumerIsRegisteredAgain(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = register(workshop, KeyOrder.SKIP_DEAD_LETTERS);
            workshop.execute("DELETE FROM inbox_work_partition");
            Message message = message("1").orderingKey("key").build();
            failing.set(false);
            assertThatThrownBy(() -> inbox.process(message))
                    .isInstanceOf(RetryableException.class)
                    .rootCause()
                    .hasMessageContaining("Register the consumer again");

            Inbox<JdbcContext> again = register(workshop, KeyOrder.SKIP_DEAD_LETTERS);
            assertThat(again.process(message).kind()).isEqualTo(Kind.PROCESSED);
        }
    }
}
