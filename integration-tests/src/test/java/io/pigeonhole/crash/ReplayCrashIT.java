package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.replay.ReplayControl;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run over a hundred thousand messages whose process is killed three times, wherever it is. */
@Tag("full")
class ReplayCrashIT {
    private static final int MESSAGES = 100_000;
    private static final int KILLS = 3;
    private static final long SEED = 20_261_121;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String RUN = "killed";

    private final Database database = Database.onPostgres();
    private final JdbcStore store = JdbcStore.create(database.dataSource());
    private final ReplayControl control = ReplayControl.of(store);
    private final Random random = new Random(SEED);
    private final List<ChildJvm> processes = new ArrayList<>();

    @AfterEach
    void stop() throws InterruptedException {
        for (ChildJvm process : processes) {
            process.kill();
        }
        database.close();
    }

    @Test
    void eachMessageHasItsEffectOnceAndProgressNeverGoesBack() throws InterruptedException {
        Inbox<JdbcContext> inbox = Inbox.builder("replayed", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        fill(inbox.registered().id());
        watch();

        ChildJvm process = start();
        for (int kill = 0; kill < KILLS; kill++) {
            long until = done() + 5_000 + random.nextInt(15_000);
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> done() >= until);
            assertThat(process.isAlive()).as(process.output()).isTrue();
            process.kill();
            process = start();
        }
        assertThat(process.exitCode()).as(process.output()).isZero();

        ReplayProgress end = control.find(RUN).orElseThrow();
        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(end.done()).isEqualTo(MESSAGES);
        assertThat(end.left()).hasValue(0);
        assertThat(database.effects(RUN))
                .isEqualTo(IntStream.rangeClosed(1, MESSAGES)
                        .mapToObj(String::valueOf)
                        .toList());
        assertThat(ask("SELECT count(*) FROM moved")).isGreaterThanOrEqualTo(MESSAGES / 200);
        assertThat(ask("""
                        SELECT count(*) FROM (
                            SELECT position, done, lag(position) OVER (ORDER BY place) AS position_before,
                                lag(done) OVER (ORDER BY place) AS done_before
                            FROM moved
                        ) AS pairs WHERE position < position_before OR done < done_before""")).as("times that progress went back").isZero();
    }

    private ChildJvm start() {
        ChildJvm process = ChildJvm.start(
                ReplayingProcess.class,
                Database.directory().resolve("crash").resolve("replay-" + processes.size() + ".out"),
                List.of(database.url(), "replayed", RUN));
        processes.add(process);
        return process;
    }

    private long done() {
        return control.find(RUN).map(ReplayProgress::done).orElse(0L);
    }

    /** As if the messages had been processed in the order of their numbers. */
    private void fill(short consumer) {
        execute("""
                INSERT INTO inbox_history (consumer_id, message_key, source, message_id, type, headers, payload, with_payload,
                    attempts, processed_at)
                SELECT %d, CAST('ff' || lpad(to_hex(n), 30, '0') AS uuid), 'notes', convert_to('m' || n, 'UTF8'), 'note',
                    '\\x0100000000', convert_to(CAST(n AS text), 'UTF8'), true, 1, clock_timestamp()
                FROM generate_series(1, %d) AS n""".formatted(consumer, MESSAGES));
        execute("ANALYZE inbox_history");
    }

    /** Keeps every change of the progress that was committed. */
    private void watch() {
        execute("CREATE TABLE moved (place bigint GENERATED ALWAYS AS IDENTITY, position bigint, done bigint)");
        execute("""
                CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    INSERT INTO moved (position, done) VALUES (NEW.position, NEW.done);
                    RETURN NEW;
                END $$""");
        execute("CREATE TRIGGER note_move AFTER UPDATE ON inbox_replay FOR EACH ROW EXECUTE FUNCTION note_move()");
    }

    private void execute(String sql) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private long ask(String sql) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
