package io.pigeonhole.kafka;

import io.pigeonhole.core.message.FieldNames;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.LogPosition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.store.Watermark;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Makes messages of records: bytes stay bytes, nothing is dropped, nothing is decoded but the two names it looks for. */
record RecordMapper(Map<String, String> sourceNames, String idHeader, String typeHeader, String contentTypeHeader) {

    /**
     * The message of a record.
     *
     * @param placePrefix what the id of a record without one begins with, or null where it gets none
     * @param deliveries how many times in a row its partition was begun before it and not survived, or 0
     * @param owner the watermark as its partition was acquired, or null where it was not
     * @param expectedPosition where the watermark is expected, of meaning only where there is an owner
     */
    Message map(
            ConsumerRecord<byte[], byte[]> record,
            @Nullable String placePrefix,
            int deliveries,
            @Nullable Watermark owner,
            long expectedPosition) {
        Headers headers = headersOf(record);
        MessageId id = idOf(record, headers, placePrefix);
        String type = headers.lastText(typeHeader);
        return Message.builder(sourceOf(record.topic()))
                .id(id)
                .type(type)
                .fieldNames(id == null || type == null ? fieldNames() : null)
                .contentType(headers.lastText(contentTypeHeader))
                .orderingKey(record.key())
                .headers(headers)
                .payload(record.value())
                .deliveries(deliveries)
                .origin(record.topic() + "-" + record.partition() + "@" + record.offset())
                .logPosition(owner == null ? null : positionOf(record, owner, expectedPosition))
                .fingerprint(id == null ? () -> fingerprintOf(record.timestamp(), headers) : null)
                .build();
    }

    private FieldNames fieldNames() {
        return new FieldNames(
                "the header '" + idHeader + "' (setting idHeader, see also idFallback)",
                "the header '" + typeHeader + "' (setting typeHeader)");
    }

    /** The source of a topic's messages. */
    String sourceOf(String topic) {
        return sourceNames.getOrDefault(topic, topic);
    }

    private static LogPosition positionOf(
            ConsumerRecord<byte[], byte[]> record, Watermark owner, long expectedPosition) {
        return new LogPosition(
                owner.log(),
                record.partition(),
                record.offset(),
                record.leaderEpoch().orElse(-1),
                owner.assignment(),
                // What comes from before it is reported as a duplicate.
                Math.min(expectedPosition, record.offset()));
    }

    private @Nullable MessageId idOf(
            ConsumerRecord<byte[], byte[]> record, Headers headers, @Nullable String placePrefix) {
        byte[] id = headers.last(idHeader);
        if (id != null && id.length > 0) {
            return MessageId.of(id);
        }
        return placePrefix == null ? null : MessageId.of(placePrefix + record.partition() + "/" + record.offset());
    }

    /** Topics that are made anew, and other clusters, use the same places again. Kafka changes neither part of a record. */
    private static String fingerprintOf(long timestamp, Headers headers) {
        StringBuilder text = new StringBuilder().append(timestamp);
        for (Header header : headers) {
            byte[] value = header.value();
            text.append(' ').append(header.name().length()).append(':').append(header.name());
            text.append(value == null ? "" : "=" + HexFormat.of().formatHex(value));
        }
        return text.toString();
    }

    private static Headers headersOf(ConsumerRecord<byte[], byte[]> record) {
        List<Header> headers = new ArrayList<>();
        record.headers().forEach(header -> headers.add(new Header(header.key(), header.value())));
        return headers.isEmpty() ? Headers.none() : new Headers(headers);
    }
}
