package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** To show a message takes few locks on PostgreSQL, however many days the history has. */
@Tag("D12")
class LongHistoryIT {
    private static final String LOCKS = "SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation"
            + " WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            + " AND c.relname LIKE 'inbox_history%'"
            + " AND c.relnamespace = CAST(quote_ident(current_schema()) AS regnamespace)"
            + " AND l.pid <> pg_backend_pid()";

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void messageIsShownWithTheLocksOfFewDays(PostgresServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            LocalDate first = LocalDate.now(ZoneOffset.UTC).minusDays(40);
            workshop.execute(
                    "DO $$ BEGIN FOR n IN 0..39 LOOP EXECUTE format('CREATE TABLE inbox_history_%s PARTITION OF"
                            + " inbox_history FOR VALUES FROM (%L) TO (%L)', to_char(date '" + first
                            + "' + n, 'YYYYMMDD'),"
                            + " date '" + first + "' + n || ' 00:00:00+00', date '" + first
                            + "' + n + 1 || ' 00:00:00+00');"
                            + " END LOOP; END $$");
            for (int daysAgo : new int[] {40, 39, 33, 32, 17, 1, 0}) {
                Message message = StoreLab.message("of " + daysAgo + " days ago");
                try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                    lab.claimed(transaction, message);
                    transaction.record(
                            lab.consumer(), List.of(new FinishedMessage(lab.keyOf(message), message, 1, true)));
                    transaction.commit();
                }
                workshop.execute("UPDATE inbox_history SET processed_at = processed_at - " + daysAgo
                        + " * interval '24 hours' WHERE processed_at > now() - interval '5 minutes'");
                AtomicInteger locks = new AtomicInteger(-1);
                JdbcStore watched = JdbcStore.create(InterposedDataSource.before(
                        1,
                        "inbox_attempt WHERE",
                        workshop.dataSource(),
                        () -> locks.set(Integer.parseInt(workshop.ask(LOCKS)))));

                MessageDetails shown = watched.admin()
                        .show(lab.consumer().name(), lab.keyOf(message))
                        .orElseThrow();

                assertThat(shown.message()).isNotNull().extracting(Message::id).isEqualTo(message.id());
                assertThat(shown.processedAt()).isNotNull();
                assertThat(locks).as("of %d days ago", daysAgo).hasValue(0);
            }
        }
    }
}
