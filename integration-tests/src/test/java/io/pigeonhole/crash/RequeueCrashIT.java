package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requeueing many dead letters goes on where a killed process left it, and what it did is on record. */
class RequeueCrashIT {
    private static final String CONSUMER = "requeue";
    private static final int LETTERS = 5_000;

    /** What somebody does in a process of its own. Argument: JDBC URL. */
    static final class Somebody {
        private Somebody() {}

        public static void main(String[] arguments) {
            requeueAll(JdbcStore.create(Database.dataSource(arguments[0])));
        }
    }

    private static void requeueAll(JdbcStore store) {
        Admin admin = store.admin();
        admin.requeue(
                admin.select(DeadLetterFilter.of(CONSUMER)), Requeue.atOnce(), new Author("somebody", "it is mended"));
    }

    @Test
    void requeueThatIsKilledGoesOnAtTheNextCall() throws Exception {
        try (Database database = Database.onPostgres()) {
            JdbcStore store = JdbcStore.create(database.dataSource());
            deadLetter(Inbox.builder(CONSUMER, store).build());
            assertThat(database.dead(CONSUMER)).hasSize(LETTERS);

            ChildJvm somebody = ChildJvm.start(
                    Somebody.class, Database.directory().resolve("requeue.out"), List.of(database.url()));
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> !database.unfinished(CONSUMER).isEmpty());
            somebody.kill();
            int moved = database.unfinished(CONSUMER).size();
            assertThat(moved).isBetween(1, LETTERS - 1);
            assertThat(database.dead(CONSUMER)).hasSize(LETTERS - moved);
            assertThat(database.audited(CONSUMER)).isEqualTo(moved);

            requeueAll(store);

            assertThat(database.dead(CONSUMER)).isEmpty();
            assertThat(database.unfinished(CONSUMER)).hasSize(LETTERS).doesNotHaveDuplicates();
            assertThat(database.audited(CONSUMER)).isEqualTo(LETTERS);
        }
    }

    private static void deadLetter(Inbox<JdbcContext> inbox) {
        for (int from = 0; from < LETTERS; from += 500) {
            inbox.process(IntStream.range(from, from + 500)
                    .mapToObj(number -> Message.builder("letters")
                            .id("letter " + number)
                            .type("unheard-of")
                            .payload("x")
                            .build())
                    .toList());
        }
    }
}
