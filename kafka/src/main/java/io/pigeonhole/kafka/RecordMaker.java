package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Makes records of messages, of which {@link RecordMapper} makes the same messages again. Headers of a message that are named like
 * one of ours are left out: they would change what the message is.
 */
record RecordMaker(String topic, String idHeader, String typeHeader, String contentTypeHeader) {

    ProducerRecord<byte[], byte[]> record(Message message) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, message.orderingKey(), message.isTombstone() ? null : message.payload());
        for (Header header : message.headers()) {
            if (!isOurs(header.name())) {
                record.headers().add(header.name(), header.value());
            }
        }
        MessageId id = message.id();
        add(record, idHeader, id == null ? null : id.toBytes());
        add(record, typeHeader, bytesOf(message.type()));
        add(record, contentTypeHeader, bytesOf(message.contentType()));
        return record;
    }

    private boolean isOurs(String name) {
        return name.equals(idHeader) || name.equals(typeHeader) || name.equals(contentTypeHeader);
    }

    private static byte @Nullable [] bytesOf(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    private static void add(ProducerRecord<byte[], byte[]> record, String name, byte @Nullable [] value) {
        if (value != null) {
            record.headers().add(name, value);
        }
    }
}
