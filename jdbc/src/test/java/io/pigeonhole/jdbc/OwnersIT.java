package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ConsumerRegistration;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The tables belong to a role on PostgreSQL, and programs log in as members of it, or with fewer rights. */
@OnEveryServer
@Tag("D7")
class OwnersIT {
    private static final String OWNERS = "SELECT DISTINCT pg_get_userbyid(c.relowner) FROM pg_class AS c"
            + " WHERE c.relname ~ '^inbox_' AND c.relkind IN ('r', 'p')"
            + " AND c.relnamespace = CAST(quote_ident(current_schema()) AS regnamespace)";

    private final String prefix = "Pigeons " + ProcessHandle.current().pid() + " ";
    private final String owner = prefix + "owner";
    private final String first = prefix + "first";
    private final String second = prefix + "second";
    private final String writer = prefix + "writer";
    private final Workshop workshop;

    OwnersIT(PostgresServer server) {
        workshop = server.emptySchema();
    }

    @BeforeEach
    void createRolesAndInbox() {
        dropRoles();
        workshop.execute("CREATE ROLE " + quoted(owner));
        for (String login : List.of(first, second)) {
            workshop.execute("CREATE ROLE " + quoted(login) + " LOGIN IN ROLE " + quoted(owner));
        }
        workshop.execute("CREATE ROLE " + quoted(writer) + " LOGIN");
        String schema = workshop.ask("SELECT current_schema()");
        workshop.execute("GRANT USAGE, CREATE ON SCHEMA " + schema + " TO " + quoted(owner));
        workshop.execute("GRANT USAGE ON SCHEMA " + schema + " TO " + quoted(writer));
        Schema.apply(workshop.dataSource());
        for (String table : workshop.askAll("SELECT c.relname FROM pg_class AS c WHERE c.relname ~ '^inbox'"
                + " AND c.relkind IN ('r', 'p', 'v')"
                + " AND c.relnamespace = CAST(quote_ident(current_schema()) AS regnamespace)")) {
            workshop.execute("ALTER TABLE " + table + " OWNER TO " + quoted(owner));
        }
        workshop.execute("ALTER SEQUENCE inbox_arrival OWNER TO " + quoted(owner));
        workshop.execute(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + " TO " + quoted(writer));
        workshop.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + quoted(writer));
    }

    @AfterEach
    void drop() {
        workshop.close();
        try (Workshop empty = workshop.server().emptySchema()) {
            dropRoles(empty);
        }
    }

    @Test
    void newDaysBelongToTheOwnerOfTheirTable() {
        store(first).maintain();
        JdbcStore.builder(workshop.dataSource()).daysAhead(14).build().maintain();

        assertThat(workshop.askAll(OWNERS)).containsExactly(owner);
        workshop.execute("DROP ROLE " + quoted(first));
    }

    @Test
    void dayThatOneLoginMadeIsDroppedByAnother() {
        LocalDate old = LocalDate.now(ZoneOffset.UTC).minusDays(5);
        String day = "inbox_history_" + DateTimeFormatter.BASIC_ISO_DATE.format(old);
        store(first).maintain();
        LocalDate last = LocalDate.now(ZoneOffset.UTC).plusDays(12);
        String made = "inbox_history_" + DateTimeFormatter.BASIC_ISO_DATE.format(last);
        workshop.execute("ALTER TABLE inbox_history DETACH PARTITION " + made);
        workshop.execute("ALTER TABLE " + made + " RENAME TO " + day);
        workshop.execute("ALTER TABLE inbox_history ATTACH PARTITION " + day + " FOR VALUES FROM ('" + old
                + " 00:00:00+00') TO ('" + old.plusDays(1) + " 00:00:00+00')");

        JdbcStore other = store(second);
        while (other.retire().more()) {
            // The next piece.
        }

        assertThat(workshop.ask("SELECT to_regclass('" + day + "')")).isNull();
    }

    @Test
    void programWithoutTheRightToMakeDaysStartsAndWorksWhileThereAreSome() {
        JdbcStore store = store(writer);
        store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));
        store.maintain();
        Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();

        assertThat(inbox.process(Message.builder("notes")
                                .id("1")
                                .type("note")
                                .payload("x")
                                .build())
                        .kind())
                .isEqualTo(Outcome.Kind.PROCESSED);

        assertThat(store.retire().days()).isZero();
        assertThat(store.admin().sizes().daysAhead()).isEqualTo(8);
    }

    @Test
    void programWithoutTheRightToMakeDaysDoesNotStartWithoutADayForThePresent() {
        workshop.askAll("SELECT CAST(c.relname AS text) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
                        + " WHERE i.inhparent = CAST('inbox_ledger' AS regclass) AND c.relname ~ '[0-9]{8}$'")
                .forEach(day -> workshop.execute("DROP TABLE " + day));
        workshop.execute("UPDATE inbox_ledger_bounds SET newest = oldest");
        JdbcStore store = store(writer);

        assertThatThrownBy(() -> store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED)))
                .hasMessageContaining("a new day of the ledger");
    }

    private JdbcStore store(String login) {
        return JdbcStore.builder(dataSource(login))
                .historyRetention(Duration.ofDays(2))
                .daysAhead(12)
                .build();
    }

    private DataSource dataSource(String login) {
        PGSimpleDataSource dataSource = (PGSimpleDataSource) workshop.dataSource();
        dataSource.setUser(login);
        return dataSource;
    }

    private void dropRoles() {
        dropRoles(workshop);
    }

    private void dropRoles(Workshop in) {
        List.of(writer, first, second, owner).forEach(role -> in.execute("DROP ROLE IF EXISTS " + quoted(role)));
    }

    private static String quoted(String role) {
        return '"' + role + '"';
    }
}
