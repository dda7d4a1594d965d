package io.pigeonhole.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.OnEveryServer;
import io.pigeonhole.jdbc.PostgresServer;
import io.pigeonhole.jdbc.Workshop;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Many rows in one statement, for what else would be a COPY. */
@OnEveryServer
class ManyRowsIT {
    private static final int ROWS = 1_000;

    private final Workshop database;

    ManyRowsIT(PostgresServer server) {
        database = server.schema();
        database.execute("CREATE TABLE price (article text PRIMARY KEY, cents bigint NOT NULL)");
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void arraysTakeManyRowsInOneStatement() {
        Message message = message();
        Inbox<JdbcContext> inbox = inbox((list, context) -> {
            String[] articles = new String[ROWS];
            Long[] cents = new Long[ROWS];
            for (int i = 0; i < ROWS; i++) {
                articles[i] = list + " " + i;
                cents[i] = (long) i;
            }
            insert(articles, cents, context);
        });

        assertThat(inbox.process(message)).isEqualTo(new Outcome.Processed());
        assertThat(inbox.process(message)).isEqualTo(new Outcome.Duplicate());

        assertThat(database.ask("SELECT count(*) || ' rows, sum ' || sum(cents) FROM price"))
                .isEqualTo("1000 rows, sum 499500");
    }

    private static void insert(String[] articles, Long[] cents, JdbcContext context) throws SQLException {
        Connection connection = context.connection();
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO price (article, cents) SELECT * FROM unnest(?, ?)")) {
            insert.setArray(1, connection.createArrayOf("text", articles));
            insert.setArray(2, connection.createArrayOf("bigint", cents));
            insert.executeUpdate();
        }
    }

    @Test
    void copyIsRefusedAndTheRefusalSaysWhatToDoInstead() {
        Inbox<JdbcContext> inbox = inbox((list, context) -> {
            Connection connection = context.connection();
            assertThat(connection.isWrapperFor(PGConnection.class)).isFalse();
            assertThatThrownBy(() -> connection.unwrap(PGConnection.class))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("could end the transaction")
                    .hasMessageContaining("unnest");
        });

        assertThat(inbox.process(message())).isEqualTo(new Outcome.Processed());
    }

    private Inbox<JdbcContext> inbox(Handler<String, JdbcContext> handler) {
        return Inbox.builder("prices", JdbcStore.create(database.dataSource()))
                .handle("prices", PayloadDecoder.text(), handler)
                .build();
    }

    private static Message message() {
        return Message.builder("prices")
                .id(UUID.randomUUID().toString())
                .type("prices")
                .payload("winter")
                .build();
    }
}
