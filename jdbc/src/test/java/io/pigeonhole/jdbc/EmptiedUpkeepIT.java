package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ReplayPlan;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Somebody has deleted the rows of {@code inbox_upkeep}. */
@Tag("D5")
class EmptiedUpkeepIT {
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void historyGoes(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.builder(workshop.dataSource())
                    .historyRetention(Duration.ofDays(2))
                    .build();
            Inbox.builder("notes", store)
                    .history(HistoryMode.WITH_PAYLOAD)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build()
                    .process(Message.builder("notes")
                            .id("a")
                            .type("note")
                            .payload("text")
                            .build());
            HistoryWantedMeanwhileIT.moveTo(LocalDate.now(ZoneOffset.UTC).minusDays(5), server, workshop);
            workshop.execute("DELETE FROM inbox_upkeep");

            while (store.retire().more()) {
                // The next piece.
            }

            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void replayCanBeMade(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox.builder("notes", store)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build();
            workshop.execute("DELETE FROM inbox_upkeep");

            store.replays()
                    .create(new ReplayPlan("anew", "notes", null, null, null, null, null, false), "ann", "a test");

            assertThat(store.replays().find("anew")).isPresent();
        }
    }
}
