package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A partition is acquired while an administrator changes how its consumer deduplicates. */
@Tag("E10")
@Tag("full")
class WatermarkModeIT {
    private static final Author ANN = new Author("ann", "a test");
    private static final LogPartition PARTITION = new LogPartition("topic", 0);

    /** The administrator waits until it is acquired, and takes it away with the change. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void programOfTheModeBeforeKeepsNoPartitionThatItAcquiresDuringTheChange(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            RegisteredConsumer consumer = store.register(
                    new ConsumerRegistration("payments", IdForm.OPAQUE, KeyOrder.NONE, 1, Deduplication.WATERMARKS));
            Admin admin = store.admin();
            admin.pause("payments", ANN);
            List<Answer> meanwhile = new ArrayList<>();
            DataSource connections = InterposedDataSource.before(
                    1,
                    "SELECT topic_identity, epoch",
                    workshop.dataSource(),
                    () -> meanwhile.add(admin.deduplicateBy("payments", Deduplication.HYBRID, ANN)));

            Watermark acquired = JdbcStore.create(connections).acquire(consumer, PARTITION, "log");

            if (!meanwhile.get(0).hasChanged()) {
                assertThat(admin.deduplicateBy("payments", Deduplication.HYBRID, ANN)
                                .hasChanged())
                        .isTrue();
            }
            assertThat(Long.parseLong(workshop.ask("SELECT epoch FROM inbox_watermark")))
                    .isGreaterThan(acquired.assignment());
        }
    }
}
