package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaSourceBuilderTest {
    private static final Duration FOR_EVER = Duration.ofMillis(Long.MAX_VALUE);

    private final Inbox<?> inbox =
            Inbox.builder("payments", InMemoryStore.create()).build();

    private static Map<String, Object> config(Object... more) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", "localhost:9092");
        for (int i = 0; i < more.length; i += 2) {
            config.put((String) more[i], more[i + 1]);
        }
        return config;
    }

    @ParameterizedTest
    @CsvSource({
        "enable.auto.commit, true, false",
        "isolation.level, read_uncommitted, read_committed",
        "value.deserializer, org.apache.kafka.common.serialization.StringDeserializer, ByteArrayDeserializer"
    })
    void settingThatContradictsExactlyOnceIsRefusedByName(String name, String value, String needed) {
        assertThatThrownBy(() -> KafkaSource.of(inbox, config(name, value), "payments"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(value)
                .hasMessageContaining(needed)
                .hasMessageContaining("Remove it");
    }

    @Test
    void deserializerGivenAsClassIsCompared() {
        assertThatThrownBy(() -> KafkaSource.of(inbox, config("key.deserializer", StringDeserializer.class), "t"))
                .hasMessageContaining("StringDeserializer");
        KafkaSource.of(inbox, config("key.deserializer", ByteArrayDeserializer.class), "t");
    }

    @Test
    void settingsThatSayTheSameAreTaken() {
        Map<String, Object> config = config(
                "enable.auto.commit", "false", "isolation.level", "read_committed", "max.poll.interval.ms", "20000");
        assertThat(KafkaSource.of(inbox, config, "t").state()).isEqualTo(SourceState.NEW);
    }

    @Test
    void groupAndOffsetResetHaveDefaultsThatTheUserOverrides() {
        Map<String, Object> byDefault =
                ConsumerSettings.of(config(), "payments", Duration.ofSeconds(1)).values();
        assertThat(byDefault).containsEntry("group.id", "payments").containsEntry("auto.offset.reset", "earliest");
        Map<String, Object> chosen = ConsumerSettings.of(
                        config("group.id", "g", "auto.offset.reset", "latest"), "payments", Duration.ofSeconds(1))
                .values();
        assertThat(chosen).containsEntry("group.id", "g").containsEntry("auto.offset.reset", "latest");
    }

    @Test
    void inboxByWatermarksNeedsToBeToldWhereALogBegins() {
        Inbox<?> byWatermarks = Inbox.builder("watermarks", InMemoryStore.create())
                .deduplication(Deduplication.WATERMARKS)
                .build();
        assertThatThrownBy(() -> KafkaSource.of(byWatermarks, config(), "t"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("auto.offset.reset")
                .hasMessageContaining("earliest, latest or none");
        assertThatThrownBy(() -> KafkaSource.of(byWatermarks, config("auto.offset.reset", "by_duration:PT1H"), "t"))
                .hasMessageContaining("by_duration");
        Map<String, Object> config = config("auto.offset.reset", "latest");
        assertThat(KafkaSource.of(byWatermarks, config, "t").state()).isEqualTo(SourceState.NEW);
        KafkaSourceBuilder twoTopics = KafkaSource.builder(byWatermarks, config, "t", "u");
        assertThatThrownBy(() -> twoTopics.sourceName(topic -> "same").build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("source name same");
    }

    @Test
    void adminClientIsToldHowToConnectAndNothingOfConsumers() {
        Map<String, Object> admin = ConsumerSettings.of(
                        config("security.protocol", "SSL", "my.callback", "x"), "payments", Duration.ofSeconds(1))
                .forAdmin();
        assertThat(admin).containsOnlyKeys("bootstrap.servers", "security.protocol", "my.callback");
    }

    @Test
    void revocationMustEndBeforeTheGroupEvictsTheMember() {
        KafkaSourceBuilder builder = KafkaSource.builder(inbox, config("max.poll.interval.ms", 5_000), "t");
        assertThatThrownBy(builder::build)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("revocationTimeout")
                .hasMessageContaining("max.poll.interval.ms 5000");
        builder.revocationTimeout(Duration.ofSeconds(4)).build();
        assertThatThrownBy(() -> KafkaSource.of(inbox, config("max.poll.interval.ms", "5s"), "t"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("no number");
    }

    @Test
    void missingOrSenselessSettingsAreRefused() {
        assertThatThrownBy(() -> KafkaSource.of(inbox, Map.of(), "t")).hasMessageContaining("bootstrap.servers");
        assertThatThrownBy(() -> KafkaSource.of(inbox, config())).hasMessageContaining("topics");
        assertThatThrownBy(() -> KafkaSource.of(inbox, config(), " ")).hasMessageContaining("topics");
        KafkaSourceBuilder builder = KafkaSource.builder(inbox, config(), "t");
        assertThatThrownBy(() -> builder.concurrency(0)).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> builder.maxBatch(0)).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> builder.maxUnfinished(0, 1)).isInstanceOf(ConfigurationException.class);
        builder.window(0);
        assertThatThrownBy(builder::build).hasMessageContaining("window");
        builder.window(1).closeTimeout(Duration.ofSeconds(-1));
        assertThatThrownBy(builder::build).hasMessageContaining("closeTimeout");
    }

    @Tag("E5")
    @Test
    void sourceNameThatThrowsOrIsBlankIsRefusedWhenTheSourceIsBuilt() {
        KafkaSourceBuilder builder = KafkaSource.builder(inbox, config(), "good", "bad");
        builder.sourceName(topic -> topic.equals("bad") ? " " : topic);
        assertThatThrownBy(builder::build)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("sourceName is blank for topic 'bad'");
        builder.sourceName(topic -> null);
        assertThatThrownBy(builder::build)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("sourceName is blank for topic 'good'");
        IllegalStateException failure = new IllegalStateException("no such tenant");
        builder.sourceName(topic -> {
            throw failure;
        });
        assertThatThrownBy(builder::build)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("sourceName failed for topic 'good'")
                .hasCause(failure);
    }

    @Test
    void configurationThatKafkaRefusesFailsTheStart() {
        KafkaSource source = KafkaSource.of(inbox, config("bootstrap.servers", "no port"), "t");
        assertThatThrownBy(source::start).isInstanceOf(ConfigurationException.class);
        source.close();
        assertThat(source.state()).isEqualTo(SourceState.CLOSED);
        assertThatThrownBy(source::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void timeThatNoClockCanCountIsRefused() {
        assertTooLong(KafkaSource.builder(inbox, config(), "t").commitInterval(FOR_EVER), "commitInterval");
        assertTooLong(KafkaSource.builder(inbox, config(), "t").revocationTimeout(FOR_EVER), "revocationTimeout");
        assertTooLong(KafkaSource.builder(inbox, config(), "t").closeTimeout(FOR_EVER), "closeTimeout");
    }

    private static void assertTooLong(KafkaSourceBuilder builder, String setting) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("payments")
                .hasMessageContaining(setting + " is 106751991167 days, the most is 365 days");
    }
}
