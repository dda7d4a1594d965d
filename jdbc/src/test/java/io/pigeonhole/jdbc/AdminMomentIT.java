package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the admin API reads of a message belongs to one moment, though it stands in several tables. */
class AdminMomentIT {
    private static final String CONSUMER = "admin";

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    @ParameterizedTest
    @MethodSource("servers")
    void deadLetterThatIsRequeuedMeanwhileIsNotShownAsProcessed(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = Inbox.builder(CONSUMER, store)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        throw new PermanentFailure(payload);
                    })
                    .build();
            Message message =
                    Message.builder("notes").id("1").type("note").payload("x").build();
            inbox.process(message);
            MessageKey key = inbox.registered().keys().keyOf(message.source(), Objects.requireNonNull(message.id()));
            DataSource interposed = InterposedDataSource.before(
                    1,
                    "inbox_dead_letter",
                    workshop.dataSource(),
                    () -> store.admin().requeue(CONSUMER, key, Requeue.atOnce(), new Author("ann", "a test")));

            assertThat(JdbcStore.create(interposed).admin().show(CONSUMER, key))
                    .map(MessageDetails::status)
                    .contains(MessageStatus.DEAD);
            assertThat(store.admin().show(CONSUMER, key))
                    .map(MessageDetails::status)
                    .contains(MessageStatus.RECEIVED);
        }
    }
}
