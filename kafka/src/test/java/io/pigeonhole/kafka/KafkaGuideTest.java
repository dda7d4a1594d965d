package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** What a producer sends, as {@code docs/kafka.md} shows it: what stands between the marks is compared with it. */
class KafkaGuideTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?)// end", Pattern.DOTALL);

    // begin
    static ProducerRecord<String, String> payment(String id, String account, String json) {
        var record = new ProducerRecord<>("payments", account, json);
        record.headers().add("message-id", id.getBytes(UTF_8));
        record.headers().add("message-type", "payment.requested".getBytes(UTF_8));
        return record;
    }
    // end

    @Test
    void messageHasWhatTheProducerSaid() {
        var sent = payment("0192f0c1-8a3e-7b2c-9d4e-5f6071829304", "account 7", "{\"amount\": 5}");
        var mapper = new RecordMapper(Map.of(), "message-id", "message-type", "content-type");

        Message message = mapper.map(received(sent), null, 0, null, 0);

        assertThat(message.id()).isEqualTo(MessageId.of("0192f0c1-8a3e-7b2c-9d4e-5f6071829304"));
        assertThat(message.type()).isEqualTo("payment.requested");
        assertThat(message.source()).isEqualTo("payments");
        assertThat(message.origin()).isEqualTo("payments-3@17");
        assertThat(message.orderingKey()).isNotNull().isEqualTo("account 7".getBytes(UTF_8));
        assertThat(message.payload()).isNotNull().isEqualTo("{\"amount\": 5}".getBytes(UTF_8));
        assertThat(message.headers().last("message-type")).isEqualTo("payment.requested".getBytes(UTF_8));
    }

    private static ConsumerRecord<byte[], byte[]> received(ProducerRecord<String, String> sent) {
        return new ConsumerRecord<>(
                sent.topic(),
                3,
                17,
                1_700_000_000_000L,
                TimestampType.CREATE_TIME,
                0,
                0,
                sent.key().getBytes(UTF_8),
                sent.value().getBytes(UTF_8),
                sent.headers(),
                Optional.empty());
    }

    @Test
    void guideShowsWhatIsTested() throws IOException {
        Path root = Path.of("..").toAbsolutePath().normalize();
        String guide = Files.readString(root.resolve("docs/kafka.md"));
        String source = Files.readString(root.resolve("kafka/src/test/java/io/pigeonhole/kafka/KafkaGuideTest.java"));

        assertThat(all(EXAMPLE, guide)).hasSize(1).isEqualTo(all(BETWEEN_MARKS, source));
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(result -> result.group(1).replaceAll("\\s+", ""))
                .toList();
    }
}
