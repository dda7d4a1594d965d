package io.pigeonhole.jackson;

import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** A finished message as one JSON document without line ends. Bytes that are text in UTF-8 are written as text. */
final class JsonLine {
    private JsonLine() {}

    static byte[] of(String consumer, HistoryEntry entry) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Message message = entry.message();
        MessageId id = message.id();
        try (JsonGenerator json = JsonMapper.shared().createGenerator(out)) {
            json.writeStartObject();
            json.writeStringProperty("consumer", consumer);
            json.writeNumberProperty("place", entry.place());
            json.writeStringProperty("key", entry.key().toString());
            json.writeStringProperty("processedAt", entry.processedAt().toString());
            json.writeNumberProperty("attempts", entry.attempts());
            json.writeStringProperty("source", message.source());
            bytes(json, "id", id == null ? null : id.toBytes());
            text(json, "type", message.type());
            bytes(json, "orderingKey", message.orderingKey());
            text(json, "contentType", message.contentType());
            text(json, "origin", message.origin());
            json.writeBooleanProperty("withPayload", entry.withPayload());
            if (entry.withPayload()) {
                headers(json, message);
                if (message.isTombstone()) {
                    json.writeNullProperty("payload");
                } else {
                    bytes(json, "payload", message.payload());
                }
            }
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private static void headers(JsonGenerator json, Message message) {
        json.writeArrayPropertyStart("headers");
        for (Header header : message.headers()) {
            json.writeStartObject();
            json.writeStringProperty("name", header.name());
            bytes(json, "value", header.value());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void text(JsonGenerator json, String name, @Nullable String value) {
        if (value != null) {
            json.writeStringProperty(name, value);
        }
    }

    /** Nothing for none. */
    private static void bytes(JsonGenerator json, String name, byte @Nullable [] value) {
        if (value == null) {
            return;
        }
        String text = textOf(value);
        if (text != null) {
            json.writeStringProperty(name, text);
        } else {
            json.writeStringProperty(name + "Base64", Base64.getEncoder().encodeToString(value));
        }
    }

    private static @Nullable String textOf(byte[] value) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
