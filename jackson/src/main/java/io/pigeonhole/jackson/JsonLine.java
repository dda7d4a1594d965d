package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.ArchivedDay.Place;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/** A finished message as one JSON document without line ends. Bytes that are text in UTF-8 are written as text. */
final class JsonLine {
    /** A payload may be as large as the database takes it. */
    private static final JsonFactory PARSERS = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxDocumentLength(-1)
                    .build())
            .build();

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

    /** Whose message a line is and where; null where it is no whole message. */
    static @Nullable Place placeOf(byte[] line) {
        String consumer = null;
        String key = null;
        long place = -1;
        try (JsonParser json = PARSERS.createParser(ObjectReadContext.empty(), line)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            String name = json.nextName();
            while (name != null) {
                JsonToken value = json.nextToken();
                if (name.equals("consumer")) {
                    consumer = json.getString();
                } else if (name.equals("place") && value == JsonToken.VALUE_NUMBER_INT) {
                    place = json.getLongValue();
                } else if (name.equals("key")) {
                    key = json.getString();
                }
                json.skipChildren();
                name = json.nextName();
            }
            boolean whole = json.currentToken() == JsonToken.END_OBJECT && json.nextToken() == null;
            return !whole || consumer == null || key == null || place < 0
                    ? null
                    : new Place(consumer, place, MessageKey.of(UUID.fromString(key)));
        } catch (JacksonException | IllegalArgumentException e) {
            return null;
        }
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
