package io.pigeonhole.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.crash.ChildJvm;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.OnEveryServer;
import io.pigeonhole.jdbc.PostgresServer;
import io.pigeonhole.jdbc.Workshop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A process is stopped in the middle of its handler for longer than its lease, or than a transaction may be idle. Another
 * node brings its messages to their end. Then the process goes on, and believes that nothing has happened.
 */
@OnEveryServer
class ZombieIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String UNFINISHED = "SELECT origin FROM inbox_work ORDER BY id";

    private final PostgresServer server;
    private final Workshop database;
    private final JdbcStore store;
    private @Nullable ChildJvm zombie;

    ZombieIT(PostgresServer server) {
        this.server = server;
        this.database = server.schema();
        this.store = JdbcStore.create(database.dataSource());
    }

    @AfterEach
    void close() throws InterruptedException {
        ChildJvm process = zombie;
        if (process != null) {
            process.kill();
        }
        database.close();
    }

    @Test
    void anExternalHandlerThatWakesUpAfterItsLeaseIsFencedOffByTheToken() throws InterruptedException {
        Inbox<JdbcContext> other = other(Zombie.EXTERNAL).build();
        other.receive(Zombie.messages("a1"));

        ChildJvm process = stoppedIn("a1", Zombie.EXTERNAL);
        workUntilNothingIsLeft(other);
        assertThat(effects()).containsExactly("a1 by other");
        assertThat(database.askAll("SELECT node || ' ' || error_class FROM inbox_attempt"))
                .containsExactly("other io.pigeonhole.core.failure.LeaseExpiredException");

        String output = goOn(process);
        assertThat(output).contains("a1 is lost").doesNotContain("PROCESSED");
        assertThat(effects()).containsExactly("a1 by other");
        assertThat(database.askAll("SELECT status FROM inbox")).containsExactly("processed");
    }

    @Test
    void aBatchOfAWorkerThatWakesUpAfterTheLongestIdleTimeCannotCommit() throws InterruptedException {
        Inbox<JdbcContext> other = other(Zombie.WORKER).build();
        other.receive(Zombie.messages("a1", "b1", "c1"));

        ChildJvm process = stoppedIn("a1", Zombie.WORKER);
        workUntilNothingIsLeft(other);
        assertThat(effects()).containsExactly("a1 by other", "b1 by other", "c1 by other");

        String output = goOn(process);
        assertThat(output).contains("rolled back 3", "worked on 0").doesNotContain("PROCESSED", "PARKED", "DEAD");
        assertThat(effects()).containsExactly("a1 by other", "b1 by other", "c1 by other");
        assertThat(database.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("0");
    }

    @Test
    void aBatchInlineThatWakesUpAfterTheLongestIdleTimeCannotCommit() throws InterruptedException {
        Inbox<JdbcContext> other = other(Zombie.INLINE).build();

        ChildJvm process = stoppedIn("a1", Zombie.INLINE, "a1", "b1");
        deliver(other, "a1", "b1");
        assertThat(effects()).containsExactlyInAnyOrder("a1 by other", "b1 by other");

        String output = goOn(process);
        assertThat(output).contains("a1 is DUPLICATE", "b1 is DUPLICATE", "settled");
        assertThat(effects()).containsExactlyInAnyOrder("a1 by other", "b1 by other");
        assertThat(database.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("0");
    }

    /** Of key a the other node has finished more than the zombie has; of key b its first message has failed there. */
    @Test
    void aBatchInlineThatWakesUpTooLateGetsAheadOfNothingInTheOrderOfItsKeys() throws InterruptedException {
        Inbox<JdbcContext> other = other(Zombie.INLINE_IN_ORDER, "b1").build();

        ChildJvm process = stoppedIn("a1", Zombie.INLINE_IN_ORDER, "a1", "a2", "b1", "b2");
        deliver(other, "a1", "a2", "a3", "b1");
        assertThat(effects()).containsExactly("a1 by other", "a2 by other", "a3 by other");
        assertThat(database.askAll(UNFINISHED)).containsExactly("b1");

        String output = goOn(process);
        assertThat(output)
                .contains("a1 is DUPLICATE", "a2 is DUPLICATE", "b1 is DUPLICATE", "b2 is RECEIVED", "settled");
        deliver(other, "a4", "b3");
        assertThat(effects()).containsExactly("a1 by other", "a2 by other", "a3 by other", "a4 by other");
        assertThat(database.askAll(UNFINISHED))
                .as("waits behind the one that failed")
                .containsExactly("b1", "b2", "b3");
    }

    private InboxBuilder<JdbcContext> other(Zombie kind, String... failing) {
        return kind.inbox(store, "other", message -> {
            if (List.of(failing).contains(Zombie.id(message))) {
                throw new IllegalStateException("fails at its first attempt");
            }
        });
    }

    private ChildJvm stoppedIn(String id, Zombie kind, String... delivered) {
        List<String> arguments = new ArrayList<>(List.of(database.url(), kind.name()));
        Collections.addAll(arguments, delivered);
        Path output = Path.of(
                System.getProperty("pigeonhole.target", "target"),
                "chaos",
                "zombie-" + kind + "-on-" + server.name().replace(' ', '-') + ".out");
        ChildJvm process = ChildJvm.start(ZombieProcess.class, output, arguments);
        zombie = process;
        await().atMost(PATIENCE)
                .until(() -> process.output().contains("in the handler of " + id) || !process.isAlive());
        assertThat(process.isAlive()).as(process.output()).isTrue();
        process.signal("STOP");
        return process;
    }

    @SuppressWarnings("try") // The node works by itself until it is closed.
    private void workUntilNothingIsLeft(Inbox<JdbcContext> inbox) {
        try (Node node = Node.builder(store)
                .inbox(inbox)
                .pollInterval(Duration.ofMillis(100))
                .start()) {
            await().atMost(PATIENCE).until(() -> database.askAll(UNFINISHED).isEmpty());
        }
    }

    /** As a source does: until all is settled. */
    private static void deliver(Inbox<JdbcContext> inbox, String... ids) {
        List<Message> messages = Zombie.messages(ids);
        await().atMost(PATIENCE).until(() -> {
            try {
                return inbox.process(messages).stream().allMatch(Outcome::settled);
            } catch (RetryableException e) {
                return false;
            }
        });
    }

    private static String goOn(ChildJvm process) throws InterruptedException {
        assertThat(process.output()).doesNotContain("goes on");
        process.say("go on");
        process.signal("CONT");
        assertThat(process.exitCode()).as(process.output()).isZero();
        return process.output();
    }

    private List<String> effects() {
        return database.askAll("SELECT text FROM effect ORDER BY at");
    }
}
