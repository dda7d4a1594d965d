package io.pigeonhole.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.MariaDbServers;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.jdbc.Workshop;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** The dialect of the guide works, on a MariaDB that stands alone: there is no cluster here. */
class GaleraIT {
    @Test
    void inboxLivesInADatabaseWithADialectOfOnesOwn() {
        Galera dialect = new Galera();
        try (Workshop workshop = MariaDbServers.embedded().emptySchema()) {
            Schema.apply(workshop.dataSource(), dialect);
            workshop.execute("CREATE TABLE effect (text varchar(100))");
            JdbcStore store =
                    JdbcStore.builder(workshop.dataSource()).dialect(dialect).build();
            Inbox<JdbcContext> inbox = Inbox.builder("plug-in", store)
                    .handle(
                            "note",
                            PayloadDecoder.text(),
                            (text, context) -> context.defer("INSERT INTO effect (text) VALUES (?)", text))
                    .build();
            Message message = Message.builder("notes")
                    .id("1")
                    .type("note")
                    .payload("once")
                    .build();

            assertThat(inbox.process(message).kind()).isEqualTo(Outcome.Kind.PROCESSED);
            assertThat(inbox.process(message).kind()).isEqualTo(Outcome.Kind.DUPLICATE);
            assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("once");
        }
    }

    @Test
    void nodeThatLeftItsClusterIsAwayAndBlamesNoMessage() {
        Galera dialect = new Galera();
        assertThat(dialect.classOf(new SQLException("WSREP has not yet prepared node", "08S01", 1047)))
                .isEqualTo(ErrorClass.UNAVAILABLE);
        assertThat(dialect.classOf(new SQLException("Duplicate entry", "23000", 1062)))
                .isEqualTo(ErrorClass.MESSAGE);
    }
}
