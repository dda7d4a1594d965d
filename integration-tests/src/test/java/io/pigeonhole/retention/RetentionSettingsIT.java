package io.pigeonhole.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.store.MaintenanceWindow;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.jdbc.JdbcStore;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a store's settings say about forgetting. */
class RetentionSettingsIT {
    private final RetentionLab lab = new RetentionLab();

    @AfterEach
    void close() {
        lab.close();
    }

    @Test
    void windowDecidesHowManyDaysAreKept() {
        JdbcStore store =
                JdbcStore.builder(lab.database).window(Duration.ofDays(2)).build();
        RegisteredConsumer consumer = lab.consumer(store, "short of memory");
        List<MessageKey> keys = lab.keys(consumer, 10);
        lab.claimAll(store, consumer, keys);

        lab.advance(Duration.ofDays(1));
        RetentionLab.forget(store);
        assertThat(RetentionLab.claim(store, consumer, keys).claimed()).isEmpty();

        lab.advance(Duration.ofDays(2));
        RetentionLab.forget(store);
        assertThat(lab.tables("inbox_ledger")).isEqualTo(lab.days(2));
        assertThat(RetentionLab.claim(store, consumer, keys).claimed())
                .as("those without a time")
                .hasSize(5);
    }

    @Test
    void nothingIsForgottenOutsideTheMaintenanceWindow() {
        LocalTime now = LocalTime.ofInstant(lab.now(), ZoneOffset.UTC);
        JdbcStore resting = JdbcStore.builder(lab.database)
                .maintenanceWindow(new MaintenanceWindow(now.plusHours(2), now.plusHours(4), ZoneOffset.UTC))
                .purgeBatch(100)
                .build();
        RegisteredConsumer consumer = lab.consumer(resting, "sleeper");
        lab.claimAll(resting, consumer, lab.keys(consumer, 10));
        lab.advance(Duration.ofDays(9));

        assertThat(resting.retire()).isEqualTo(Retired.NOTHING);
        assertThat(lab.workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("10");

        lab.advance(Duration.ofHours(3));
        RetentionLab.forget(resting);
        assertThat(lab.workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("0");
    }

    @Test
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void nodeForgetsInTheBackground() {
        JdbcStore store = lab.store();
        RegisteredConsumer consumer = lab.consumer(store, "forgetful");
        lab.claimAll(store, consumer, lab.keys(consumer, 10));
        lab.advance(Duration.ofDays(9));

        try (Node node = Node.builder(store).start()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> lab.workshop
                            .ask("SELECT count(*) FROM inbox_ledger")
                            .equals("0"));
        }
        assertThat(lab.tables("inbox_ledger")).isEqualTo(lab.days(7));
    }

    @Test
    void settingsThatMakeNoSenseAreRefusedWithTheirNames() {
        JdbcStore.Builder builder = JdbcStore.builder(lab.database);

        assertThatThrownBy(() -> builder.window(Duration.ofMinutes(59))).hasMessageContaining("window PT59M");
        assertThatThrownBy(() -> builder.historyRetention(Duration.ZERO)).hasMessageContaining("historyRetention PT0S");
        assertThatThrownBy(() -> builder.attemptRetention(Duration.ofDays(-1)))
                .hasMessageContaining("attemptRetention");
        assertThatThrownBy(() -> builder.auditRetention(Duration.ofDays(40_000)))
                .hasMessageContaining("auditRetention");
        assertThatThrownBy(() -> builder.purgeBatch(1)).hasMessageContaining("purgeBatch 1");
    }
}
