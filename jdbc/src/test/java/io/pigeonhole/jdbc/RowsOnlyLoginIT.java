package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Programs whose login may read and write rows, and nothing else: what they may not do keeps them from nothing else. */
@OnEveryServer
@Tag("D1")
@Tag("D5")
class RowsOnlyLoginIT {
    private final Workshop workshop;
    private final String schema;
    private final String role;

    RowsOnlyLoginIT(PostgresServer server) {
        workshop = server.schema();
        schema = workshop.ask("SELECT current_schema()");
        role = "rows_" + ProcessHandle.current().pid() + "_" + schema;
    }

    @BeforeEach
    void createRole() {
        workshop.execute("CREATE ROLE " + role + " LOGIN");
        workshop.execute("GRANT USAGE ON SCHEMA " + schema + " TO " + role);
        workshop.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + " TO " + role);
        workshop.execute("GRANT SELECT, USAGE ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + role);
    }

    @AfterEach
    void drop() {
        workshop.execute("DROP OWNED BY " + role);
        workshop.execute("DROP ROLE " + role);
        workshop.close();
    }

    private PGSimpleDataSource limited() {
        PGSimpleDataSource limited = new PGSimpleDataSource();
        limited.setUrl(workshop.url());
        limited.setUser(role);
        return limited;
    }

    private static Inbox<JdbcContext> inbox(JdbcStore store) {
        return Inbox.builder("notes", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
    }

    private static Message message(String id) {
        return Message.builder("queue").id(id).type("note").payload(id).build();
    }

    private void begin(String counter) {
        workshop.execute("INSERT INTO inbox_audit (who, reason, action, consumer, detail, affected)"
                + " SELECT 'ann', 'a test', 'PAUSE', 'notes', '', 0 FROM generate_series(1, 20)");
        workshop.execute("ALTER SEQUENCE " + counter + " RESTART");
    }

    @Test
    void programBeginsWhereItMayNotEvenLookAtTheNumbers() {
        workshop.execute("REVOKE SELECT ON inbox_audit FROM " + role);

        assertThat(inbox(JdbcStore.create(limited())).process(message("first")).kind())
                .isEqualTo(Kind.PROCESSED);
    }

    @Test
    void programThatRunsIsMaintainedAlthoughItMayNotMoveNumbersThatAreBehind() {
        JdbcStore store = JdbcStore.create(limited());
        inbox(store);
        begin("inbox_audit_id_seq");

        assertThatCode(store::maintain).doesNotThrowAnyException();
        assertThatCode(store::retire).doesNotThrowAnyException();
    }

    @Test
    void numbersAreMovedAheadAlthoughTheClockCannotBeLookedAt() {
        JdbcStore store = JdbcStore.create(limited());
        inbox(store);
        workshop.execute("GRANT UPDATE ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + role);
        workshop.execute("REVOKE SELECT, UPDATE ON inbox_clock FROM " + role);
        begin("inbox_audit_id_seq");

        assertThatThrownBy(store::maintain).isInstanceOf(PigeonholeException.class);
        assertThat(workshop.ask("SELECT last_value >= 20 FROM inbox_audit_id_seq"))
                .isEqualTo("t");
    }
}
