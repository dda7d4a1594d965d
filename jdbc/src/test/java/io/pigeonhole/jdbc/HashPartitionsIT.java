package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A ledger whose keys without a time lie in hash partitions. */
class HashPartitionsIT {
    private static final int PARTITIONS = 4;

    private final Workshop workshop = PostgresServers.embedded().emptySchema();

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void keysAreSpreadStayUniqueAndAreForgotten() {
        Schema.apply(workshop.dataSource(), PARTITIONS);
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        RegisteredConsumer consumer = store.register(new ConsumerRegistration("hashed", IdForm.OPAQUE));
        List<MessageKey> keys = IntStream.range(0, 400)
                .mapToObj(i -> consumer.keys().keyOf("notes", MessageId.of("id " + i)))
                .sorted()
                .toList();

        assertThat(claim(store, consumer, keys).claimed()).hasSize(keys.size());
        assertThat(claim(store, consumer, keys).claimed()).isEmpty();
        for (int i = 0; i < PARTITIONS; i++) {
            assertThat(Integer.parseInt(workshop.ask("SELECT count(*) FROM inbox_ledger_digest_" + i)))
                    .as("partition %s", i)
                    .isBetween(50, 150);
        }

        workshop.execute("UPDATE inbox_ledger SET accepted_at = accepted_at - interval '8 days'");
        while (store.retire().more()) {
            // The next piece.
        }
        assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("0");
        assertThat(workshop.askAll("SELECT task FROM inbox_upkeep WHERE task LIKE 'inbox_ledger%' ORDER BY 1"))
                .containsExactly(
                        "inbox_ledger_digest_0",
                        "inbox_ledger_digest_1",
                        "inbox_ledger_digest_2",
                        "inbox_ledger_digest_3");
    }

    private static Claim claim(JdbcStore store, RegisteredConsumer consumer, List<MessageKey> keys) {
        try (InboxTransaction<JdbcContext> transaction = store.begin(Duration.ofMinutes(1))) {
            Claim claim = transaction.claim(consumer, keys, Duration.ofSeconds(10));
            transaction.commit();
            return claim;
        }
    }

    @Test
    void numberOfPartitionsIsDecidedOnce() {
        Schema.apply(workshop.dataSource(), PARTITIONS);

        Schema.apply(workshop.dataSource(), PARTITIONS);
        Schema.apply(workshop.dataSource());
        assertThatThrownBy(() -> Schema.apply(workshop.dataSource(), PARTITIONS + 1))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("lie in 4 tables, not in 5");
    }

    @Test
    void otherDatabasesHaveNoHashPartitions() {
        try (Workshop other = H2Server.FILES.emptySchema()) {
            assertThatThrownBy(() -> Schema.apply(other.dataSource(), PARTITIONS))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("PostgreSQL only, not for H2");
        }
    }
}
