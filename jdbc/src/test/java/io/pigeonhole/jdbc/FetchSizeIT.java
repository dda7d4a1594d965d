package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.admin.AdminDatabase;
import io.pigeonhole.jdbc.postgresql.PostgresBoundary;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A driver that fetches rows a few at a time lets the server make no more of them than are asked for. */
@OnEveryServer
class FetchSizeIT {
    private static final List<Integer> WORK_PARTITIONS = List.of(0, 1, 2, 3);

    private final Workshop workshop;
    private final JdbcStore store;
    private final JdbcStore other;
    private final RegisteredConsumer consumer;

    FetchSizeIT(PostgresServer server) {
        workshop = server.sharedSchema();
        store = JdbcStore.create(workshop.dataSource("&defaultRowFetchSize=1"));
        other = JdbcStore.create(workshop.dataSource());
        consumer = store.register(new ConsumerRegistration(
                "row by row", IdForm.OPAQUE, KeyOrder.SKIP_DEAD_LETTERS, WORK_PARTITIONS.size(), Deduplication.IDS));
    }

    private void assertThatNobodyElseLocksAWorkPartition() {
        for (int workPartition : WORK_PARTITIONS) {
            try (InboxTransaction<JdbcContext> transaction = other.begin(StoreLab.IDLE_LIMIT)) {
                assertThatThrownBy(() -> transaction.lock(consumer, List.of(workPartition), StoreLab.SHORT))
                        .as("work partition %s", workPartition)
                        .isInstanceOf(ClaimBlockedException.class);
            }
        }
    }

    @Test
    void allWorkPartitionsAreLockedWhereRowsAreFetchedOneByOne() {
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            transaction.lock(consumer, WORK_PARTITIONS, StoreLab.LONG);
            assertThatNobodyElseLocksAWorkPartition();
        }
    }

    @Test
    void personsChangeLocksAllWorkPartitionsWhereRowsAreFetchedOneByOne() {
        ConnectionSource connections = workshop.dataSource("&defaultRowFetchSize=1")::getConnection;
        assertThat(new AdminDatabase(PostgresBoundary.transactions(connections))
                        .change("to lock work partitions", session -> {
                            session.operations().lockWorkPartitions(consumer, WORK_PARTITIONS);
                            assertThatNobodyElseLocksAWorkPartition();
                            return true;
                        }))
                .isPresent();
    }
}
