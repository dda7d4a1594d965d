package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.FieldNames;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Records without an id, of which a topic that was made anew, or another cluster, has had others at the same place. */
class RecordMapperTest {
    private static final long TIME = 1_700_000_000_000L;

    private final InMemoryStore store = InMemoryStore.create();
    private final RecordMapper mapper = new RecordMapper(Map.of(), "message-id", "type", "content");
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", store)
            .handle("text", PayloadDecoder.text(), (text, context) -> {})
            .build();

    private static ConsumerRecord<byte[], byte @Nullable []> record(
            long timestamp, @Nullable String key, @Nullable String value, RecordHeaders headers) {
        return new ConsumerRecord<>(
                "payments",
                0,
                0,
                timestamp,
                TimestampType.CREATE_TIME,
                0,
                0,
                key == null ? null : key.getBytes(UTF_8),
                value == null ? null : value.getBytes(UTF_8),
                headers,
                Optional.empty());
    }

    private static RecordHeaders headers(String name, byte @Nullable [] value) {
        RecordHeaders headers = new RecordHeaders();
        headers.add(name, value);
        return headers;
    }

    private Message map(ConsumerRecord<byte[], byte[]> record) {
        return mapper.map(record, null, 0, null, 0);
    }

    private void deliver(long timestamp, @Nullable String key, @Nullable String value, RecordHeaders headers) {
        inbox.process(map(record(timestamp, key, value, headers)));
    }

    private int letters() {
        return Admin.of(store)
                .deadLetters(DeadLetterFilter.of("test"), PageRequest.first(100))
                .entries()
                .size();
    }

    @Test
    void recordThatLacksItsIdOrItsTypeSaysWhichHeadersWereLookedAt() {
        RecordHeaders type = headers("type", "text".getBytes(UTF_8));
        FieldNames names = new FieldNames(
                "the header 'message-id' (setting idHeader, see also idFallback)",
                "the header 'type' (setting typeHeader)");

        assertThat(map(record(TIME, null, "x", type)).fieldNames()).isEqualTo(names);
        assertThat(map(record(TIME, null, "x", headers("message-id", new byte[] {7})))
                        .fieldNames())
                .isEqualTo(names);
        type.add("message-id", new byte[] {7});
        assertThat(map(record(TIME, null, "x", type)).fieldNames()).isNull();
    }

    @Test
    void recordThatIsDeliveredAgainIsKeptOnce() {
        deliver(TIME, "alice", "x", headers("a", new byte[] {1}));
        deliver(TIME, "alice", "x", headers("a", new byte[] {1}));
        assertThat(letters()).isEqualTo(1);
    }

    @Test
    void recordOfTheSamePlaceWithAnotherTimeIsKept() {
        deliver(TIME, "alice", null, new RecordHeaders());
        deliver(TIME + 1, "alice", null, new RecordHeaders());
        assertThat(letters()).isEqualTo(2);
    }

    @Test
    void recordOfTheSamePlaceWithAnotherKeyIsKept() {
        deliver(TIME, "alice", null, new RecordHeaders());
        deliver(TIME, "bob", null, new RecordHeaders());
        deliver(TIME, "", null, new RecordHeaders());
        deliver(TIME, null, null, new RecordHeaders());
        assertThat(letters()).isEqualTo(4);
    }

    @Test
    void tombstoneAtThePlaceOfAnEmptyRecordIsKept() {
        deliver(TIME, "alice", "", new RecordHeaders());
        deliver(TIME, "alice", null, new RecordHeaders());
        assertThat(letters()).isEqualTo(2);
    }

    @Test
    void recordOfTheSamePlaceWithOtherHeadersIsKept() {
        deliver(TIME, "alice", "x", new RecordHeaders());
        deliver(TIME, "alice", "x", headers("a", null));
        deliver(TIME, "alice", "x", headers("a", new byte[0]));
        deliver(TIME, "alice", "x", headers("a", new byte[] {1}));
        deliver(TIME, "alice", "x", headers("b", new byte[] {1}));
        assertThat(letters()).isEqualTo(5);
    }

    @Test
    void recordWithAnIdNeedsNoFingerprint() {
        assertThat(map(record(TIME, "alice", "x", headers("message-id", new byte[] {1})))
                        .fingerprint())
                .isNull();
    }
}
