package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The driver sends BEGIN by itself in front of the first statements of a transaction. Where it is cancelled, the server executes these all
 * the same, outside of any transaction: a claim would be committed without the effect of its message.
 */
@OnEveryServer
@Tag("F19")
class CancelledBeginIT {
    private final PostgresServer server;
    private final Workshop workshop;
    private final String consumer = "cancelled " + UUID.randomUUID();

    CancelledBeginIT(PostgresServer server) {
        this.server = server;
        workshop = server.schema();
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 100, read committed", "5, 100, read committed", "5, 0, read committed",
        "1, 100, serializable", "5, 100, serializable", "5, 0, serializable"
    })
    void claimBehindItIsNotCommittedAlone(int number, int optimisticAfter, String level) {
        try (CancellingProxy proxy = CancellingProxy.start(workshop.url())) {
            DataSource connections = server.dataSource(
                    proxy.url() + "&options=-c%20default_transaction_isolation=" + level.replace(" ", "%5C%20"));
            Inbox<JdbcContext> inbox = Inbox.builder(
                            consumer,
                            JdbcStore.builder(connections)
                                    .optimisticAfter(optimisticAfter)
                                    .build())
                    .handle(
                            "note",
                            PayloadDecoder.text(),
                            (payload, context) -> context.defer("INSERT INTO effect (text) VALUES (?)", payload))
                    .build();
            List<Message> messages = SessionLab.messages(
                    IntStream.range(0, number).mapToObj(i -> "x").toArray(String[]::new));
            // From here on it is known how the session's transactions begin.
            inbox.process(SessionLab.messages("before"));
            proxy.cancelNext();

            List<Outcome> outcomes = processUntilSettled(inbox, messages);

            assertThat(proxy.cancelled()).isEqualTo(1);
            assertThat(outcomes).doesNotContain(new Outcome.Duplicate());
            inbox.work();
            assertThat(workshop.ask("SELECT count(*) FROM effect")).isEqualTo("" + (number + 1));
        }
    }

    private static List<Outcome> processUntilSettled(Inbox<JdbcContext> inbox, List<Message> messages) {
        try {
            return inbox.process(messages);
        } catch (PigeonholeException e) {
            return inbox.process(messages);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void claimByHandBehindItIsNotCommittedAlone(boolean isDayKnown) throws SQLException {
        try (CancellingProxy proxy = CancellingProxy.start(workshop.url())) {
            DataSource connections = server.dataSource(proxy.url());
            JdbcStore store = JdbcStore.create(connections);
            Inbox<JdbcContext> inbox = Inbox.builder(consumer, store).build();
            if (isDayKnown) {
                claim(store, inbox, connections, SessionLab.messages("before").get(0));
            }
            Message message = SessionLab.messages("x").get(0);
            proxy.cancelNext();

            assertThatThrownBy(() -> claim(store, inbox, connections, message)).isInstanceOf(PigeonholeException.class);

            assertThat(proxy.cancelled()).isEqualTo(1);
            assertThat(claim(store, inbox, connections, message)).isTrue();
        }
    }

    private static boolean claim(JdbcStore store, Inbox<JdbcContext> inbox, DataSource connections, Message message)
            throws SQLException {
        try (Connection connection = connections.getConnection()) {
            connection.setAutoCommit(false);
            boolean first = inbox.claim(message, store.ledger(connection));
            connection.commit();
            return first;
        }
    }
}
