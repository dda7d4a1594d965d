package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.MariaDbDataSource;

/** MariaDB's driver puts another connection in the place of one that is lost, where its URL names servers to choose from. */
class DriverThatConnectsAgainIT {
    private static void kill(Workshop workshop, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT connection_id()")) {
            row.next();
            workshop.execute("KILL " + row.getLong(1));
        }
    }

    @Test
    void handlerThatHidesThatItsConnectionWasLostHasNotEndedTheTransaction() throws SQLException {
        try (Workshop workshop = MariaDbServers.embedded().schema()) {
            String url = ((MariaDbDataSource) workshop.dataSource()).getUrl();
            MariaDbDataSource connections =
                    new MariaDbDataSource(url.replace("jdbc:mariadb://", "jdbc:mariadb:sequential://"));
            AtomicInteger calls = new AtomicInteger();
            Inbox<JdbcContext> inbox = Inbox.builder("again", JdbcStore.create(connections))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        if (calls.incrementAndGet() == 1) {
                            Connection connection = context.connection();
                            kill(workshop, connection);
                            assertThatThrownBy(
                                            () -> connection.createStatement().execute("SELECT 1"))
                                    .isInstanceOf(SQLException.class);
                        }
                        context.connection()
                                .createStatement()
                                .execute("INSERT INTO effect (text) VALUES ('" + payload + "')");
                    })
                    .build();
            Message message =
                    Message.builder("notes").id("1").type("note").payload("x").build();

            assertThat(inbox.process(message)).isEqualTo(new Outcome.Processed());
            assertThat(inbox.process(message).kind()).isEqualTo(Outcome.Kind.DUPLICATE);
            assertThat(calls).hasValue(2);
            assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("x");
        }
    }
}
