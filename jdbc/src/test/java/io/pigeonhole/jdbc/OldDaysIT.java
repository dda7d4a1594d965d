package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Days of ledger and history that are past their time, on PostgreSQL. */
@OnEveryServer
class OldDaysIT {
    private final LocalDate old = LocalDate.now(ZoneOffset.UTC).minusDays(5);
    private final String ofOld = "inbox_history_" + DateTimeFormatter.BASIC_ISO_DATE.format(old);

    private final Workshop workshop;
    private final JdbcStore store;
    private final List<String> replayed = new ArrayList<>();

    OldDaysIT(PostgresServer server) {
        workshop = server.schema();
        store = storeOn(workshop.dataSource());
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    /** The node is stopped between its question whether the day is needed and the moment in which it detaches the day. */
    @Test
    void dayOfAReplayThatWasMadeWhileANodeStoodStillIsNotDropped() {
        recordInAnOldDay("a", "b", "c");
        JdbcStore stopped = storeThatStands(() -> {
            endHold();
            makeReplay();
        });

        stopped.retire();

        assertThat(replay().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(replayed).containsExactly("a", "b", "c");
        stopped.retire();
        assertThat(workshop.ask("SELECT to_regclass('" + ofOld + "')"))
                .as("when the replay is through with it")
                .isNull();
    }

    @Test
    void nodeThatStoodStillEndsNoHoldOfAnother() {
        recordInAnOldDay("a");
        JdbcStore stopped = storeThatStands(() -> {
            endHold();
            workshop.execute("UPDATE inbox_upkeep SET place = 'of another',"
                    + " busy_until = clock_timestamp() + interval '1 minute' WHERE task = 'history days'");
        });

        stopped.retire();

        assertThat(workshop.ask("SELECT busy_until > clock_timestamp() FROM inbox_upkeep WHERE task = 'history days'"))
                .isEqualTo("t");
    }

    @Test
    void replayWhoseMessagesAreGoneFailsAndIsNotFinished() {
        recordInAnOldDay("a", "b", "c");
        makeReplay();
        workshop.execute("DELETE FROM inbox_history WHERE id = (SELECT min(id) FROM inbox_history)");

        ReplayProgress end = replay();

        assertThat(replayed).containsExactly("b", "c");
        assertThat(end.state()).isEqualTo(ReplayState.FAILED);
        assertThat(end.error()).contains("1 of its 3 messages");
    }

    @Test
    void tableOfADayThatAPersonDetachedOrRestoredIsNotDropped() {
        recordInAnOldDay("a");
        workshop.execute("ALTER TABLE inbox_history DETACH PARTITION " + ofOld);
        workshop.execute("CREATE TABLE inbox_ledger_20200101 (LIKE inbox_ledger)");

        while (store.retire().more()) {
            // The next piece.
        }

        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("1");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger_20200101")).isEqualTo("0");
    }

    private static JdbcStore storeOn(DataSource dataSource) {
        return JdbcStore.builder(dataSource)
                .historyRetention(Duration.ofDays(2))
                .build();
    }

    /** Something happens meanwhile. */
    private JdbcStore storeThatStands(Runnable meanwhile) {
        String beforeDetaching = "ON CONFLICT (task) DO NOTHING";
        return storeOn(InterposedDataSource.before(1, beforeDetaching, workshop.dataSource(), meanwhile));
    }

    private void endHold() {
        workshop.execute("UPDATE inbox_upkeep SET busy_until = clock_timestamp() WHERE task = 'history days'");
    }

    private void makeReplay() {
        store.replays().create(new ReplayPlan("anew", "notes", null, null, null, null, null, false), "ann", "a test");
        assertThat(store.replays().settle("anew").state()).isEqualTo(ReplayState.RUNNING);
    }

    private ReplayProgress replay() {
        return Replay.builder("anew", "notes", store, new Author("ann", "a test"))
                .into(PayloadDecoder.text(), (payload, context) -> replayed.add(payload))
                .batch(1)
                .build()
                .run();
    }

    private void recordInAnOldDay(String... payloads) {
        Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        for (String payload : payloads) {
            inbox.process(Message.builder("notes")
                    .id("id " + payload)
                    .type("note")
                    .payload(payload)
                    .build());
        }
        workshop.execute("CREATE TABLE " + ofOld + " PARTITION OF inbox_history FOR VALUES FROM ('" + old
                + " 00:00:00+00') TO ('" + old.plusDays(1) + " 00:00:00+00')");
        workshop.execute("UPDATE inbox_history SET processed_at = '" + old + " 12:00:00+00'");
    }
}
