package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.LongString;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of an AMQP table as bytes. Strings and byte arrays stay what they are; numbers and truth values become their
 * text, timestamps ISO 8601, lists and tables JSON, in which byte arrays, and strings that are not UTF-8, are hexadecimal.
 */
final class FieldText {
    private FieldText() {}

    /** The bytes of a header's value, or null for none. */
    static byte @Nullable [] bytesOf(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof LongString text) {
            return text.getBytes();
        }
        if (value instanceof byte[] bytes) {
            return bytes;
        }
        return textOf(value).getBytes(StandardCharsets.UTF_8);
    }

    private static String textOf(Object value) {
        if (value instanceof Map<?, ?> || value instanceof Iterable<?>) {
            StringBuilder json = new StringBuilder();
            append(json, value);
            return json.toString();
        }
        if (value instanceof Date date) {
            return date.toInstant().toString();
        }
        return value instanceof BigDecimal number ? number.toPlainString() : value.toString();
    }

    private static void append(StringBuilder json, @Nullable Object value) {
        if (value instanceof Map<?, ?> table) {
            json.append('{');
            String separator = "";
            for (Map.Entry<?, ?> field : table.entrySet()) {
                json.append(separator);
                quote(json, String.valueOf(field.getKey()));
                json.append(':');
                append(json, field.getValue());
                separator = ",";
            }
            json.append('}');
        } else if (value instanceof Iterable<?> list) {
            json.append('[');
            String separator = "";
            for (Object element : list) {
                json.append(separator);
                append(json, element);
                separator = ",";
            }
            json.append(']');
        } else if (value instanceof LongString text) {
            quote(json, utf8OrHex(text.getBytes()));
        } else if (value instanceof byte[] bytes) {
            quote(json, HexFormat.of().formatHex(bytes));
        } else if (value == null || value instanceof Boolean || isJsonNumber(value)) {
            json.append(value instanceof BigDecimal number ? number.toPlainString() : value);
        } else {
            quote(json, textOf(value));
        }
    }

    private static String utf8OrHex(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return HexFormat.of().formatHex(bytes);
        }
    }

    private static boolean isJsonNumber(Object value) {
        return value instanceof Number number && Double.isFinite(number.doubleValue());
    }

    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
