package io.pigeonhole.debezium;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.debezium.data.Envelope;
import io.debezium.time.MicroTimestamp;
import io.debezium.transforms.outbox.EventRouter;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

/**
 * The router of Debezium with the settings of {@code docs/outbox-debezium.md}, on a change as Debezium documents those of MariaDB. Its
 * connector for MariaDB does not run here.
 */
class MariaDbRowTest {
    private static final Schema ROW = SchemaBuilder.struct()
            .name("shop.shop.outbox_message.Value")
            .field("position", Schema.INT64_SCHEMA)
            .field("destination", Schema.STRING_SCHEMA)
            .field("work_partition", Schema.INT16_SCHEMA)
            .field("id", Schema.STRING_SCHEMA)
            .field("ordering_key", Schema.OPTIONAL_BYTES_SCHEMA)
            .field("type", Schema.OPTIONAL_STRING_SCHEMA)
            .field("headers", Schema.BYTES_SCHEMA)
            .field("content_type", Schema.OPTIONAL_STRING_SCHEMA)
            .field("payload", Schema.OPTIONAL_BYTES_SCHEMA)
            .field("created_at", MicroTimestamp.schema())
            .optional()
            .build();
    private static final Schema SOURCE = SchemaBuilder.struct()
            .name("io.debezium.connector.mariadb.Source")
            .field("connector", Schema.STRING_SCHEMA)
            .build();
    private static final Envelope ENVELOPE = Envelope.defineSchema()
            .withName("shop.shop.outbox_message.Envelope")
            .withRecord(ROW)
            .withSource(SOURCE)
            .build();

    @Test
    void rowBecomesARecordWithTheTimeAtWhichItWasAppended() {
        Instant createdAt = Instant.parse("2026-11-29T07:00:00.123456Z");
        Struct row = new Struct(ROW)
                .put("position", 1L)
                .put("destination", "payments")
                .put("work_partition", (short) 3)
                .put("id", "01a2263a-83f4-7355-9b2e-e29e4672c258")
                .put("ordering_key", bytes("account 7"))
                .put("type", "payment.requested")
                .put("headers", bytes("headers"))
                .put("payload", bytes("100"))
                .put("created_at", createdAt.toEpochMilli() * 1_000 + 456);

        SourceRecord routed = route(row);

        assertThat(routed.topic()).isEqualTo("payments");
        assertThat(routed.key()).isEqualTo(bytes("account 7"));
        assertThat(routed.value()).isEqualTo(bytes("100"));
        assertThat(routed.timestamp()).isEqualTo(createdAt.toEpochMilli());
        assertThat(routed.headers().lastWithName("message-id").value()).isEqualTo(row.get("id"));
        assertThat(routed.headers().lastWithName("message-type").value()).isEqualTo("payment.requested");
        assertThat(routed.headers().lastWithName("content-type").value()).isNull();
    }

    private static SourceRecord route(Struct row) {
        Struct source = new Struct(SOURCE).put("connector", "mariadb");
        SourceRecord change = new SourceRecord(
                Map.of(),
                Map.of(),
                "shop.shop.outbox_message",
                ENVELOPE.schema(),
                ENVELOPE.create(row, source, Instant.EPOCH));
        try (EventRouter<SourceRecord> router = new EventRouter<>()) {
            router.configure(settings());
            return router.apply(change);
        }
    }

    /** Those of the transformation, and the one that the guide has for MariaDB. */
    private static Map<String, String> settings() {
        String prefix = "transforms.outbox.";
        Properties connector = DebeziumGuide.connector();
        Map<String, String> settings = new HashMap<>();
        connector.stringPropertyNames().stream()
                .filter(name -> name.startsWith(prefix))
                .forEach(name -> settings.put(name.substring(prefix.length()), connector.getProperty(name)));
        assertThat(DebeziumGuide.section("MariaDB")).contains("`table.field.event.timestamp=created_at`");
        settings.put("table.field.event.timestamp", "created_at");
        return settings;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }
}
