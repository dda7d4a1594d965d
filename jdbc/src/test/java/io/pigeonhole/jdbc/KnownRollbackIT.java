package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors that look as if a connection was lost during COMMIT, where nothing can have been committed. */
@OnEveryServer
@Tag("A12")
class KnownRollbackIT {
    private final Workshop workshop;
    private final HikariDataSource pool = new HikariDataSource();

    KnownRollbackIT(PostgresServer server) {
        workshop = server.schema();
        pool.setDataSource(workshop.dataSource());
        pool.setMaximumPoolSize(2);
    }

    @AfterEach
    void close() {
        pool.close();
        workshop.close();
    }

    private Inbox<JdbcContext> inbox(boolean pooled, Handler<String, JdbcContext> handler) {
        DataSource connections = pooled ? pool : workshop.dataSource();
        return Inbox.builder("it", JdbcStore.create(connections))
                .handle("note", PayloadDecoder.text(), handler)
                .build();
    }

    private static void effect(JdbcContext context, String text) throws SQLException {
        SessionLab.execute(context, "INSERT INTO effect (text) VALUES ('" + text + "')");
    }

    private void loseAndHide(JdbcContext context) throws SQLException {
        String backend = SessionLab.ask(context.connection(), "SELECT pg_backend_pid()");
        workshop.execute("SELECT pg_terminate_backend(" + backend + ")");
        // The first is told why, the second meets the end of the connection.
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> effect(context, "optional")).isInstanceOf(SQLException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messageWhoseHandlerHidesItsLostConnectionIsParkedAndTheOthersCommit(boolean pooled) {
        Inbox<JdbcContext> inbox = inbox(pooled, (payload, context) -> {
            effect(context, payload);
            if (payload.equals("bad")) {
                loseAndHide(context);
            }
        });

        assertThat(kinds(inbox.process(messages("good", "bad")))).containsExactly(Kind.PROCESSED, Kind.PARKED);
        assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("good");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({"08001, true", "57P01, true", "08001, false", "57P01, false"})
    void triggerAtTheCommitThatRaisesAnErrorOfConnectionsIsAFailureOfItsMessageTheSecondTime(
            String state, boolean pooled) {
        workshop.execute("CREATE FUNCTION remote() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " IF NEW.text = 'bad' THEN RAISE EXCEPTION 'could not connect' USING ERRCODE = '" + state
                + "'; END IF; RETURN NEW; END $$");
        workshop.execute("CREATE CONSTRAINT TRIGGER remote AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION remote()");
        Inbox<JdbcContext> inbox = inbox(pooled, (payload, context) -> effect(context, payload));
        List<Message> messages = messages("good", "bad");

        assertThatThrownBy(() -> inbox.process(messages)).isInstanceOf(OutcomeUnknownException.class);

        assertThat(kinds(inbox.process(messages))).containsExactly(Kind.PROCESSED, Kind.PARKED);
        assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("good");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("1");
    }

    @Test
    void watermarkWhoseConnectionWasLostBeforeTheCommitIsKnownNotToHaveMoved() throws SQLException {
        StoreLab lab = StoreLab.of(workshop.dataSource());
        RegisteredConsumer consumer = lab.store()
                .register(new ConsumerRegistration("log", IdForm.OPAQUE, KeyOrder.NONE, 1, Deduplication.WATERMARKS));
        LogPartition partition = new LogPartition("notes", 0);
        lab.store().acquire(consumer, partition, "log:1");
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Watermark read =
                    transaction.watermarks(consumer, List.of(partition)).get(0);
            loseAndHide(lab.claimed(transaction));
            transaction.advance(consumer, List.of(new Advance(read, 500, 1)));

            assertThatThrownBy(transaction::commit)
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.ABORTED));
        }
    }
}
