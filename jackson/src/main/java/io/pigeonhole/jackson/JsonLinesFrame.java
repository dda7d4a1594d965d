package io.pigeonhole.jackson;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The first and the last line of a file: whose day it is, and what a whole file has. Neither has the line end. */
final class JsonLinesFrame {
    private static final int VERSION = 1;

    private JsonLinesFrame() {}

    /** Always the same bytes for the same store and day. */
    static byte[] header(String store, LocalDate day) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonMapper.shared().createGenerator(out)) {
            json.writeStartObject();
            json.writeStringProperty("history", day.toString());
            json.writeStringProperty("store", store);
            json.writeNumberProperty("version", VERSION);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    /** What stands behind the last message of a whole file. */
    static byte[] footer(LocalDate day, long entries, String sha256) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonMapper.shared().createGenerator(out)) {
            json.writeStartObject();
            json.writeStringProperty("end", day.toString());
            json.writeNumberProperty("entries", entries);
            json.writeStringProperty("sha256", sha256);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    static boolean isFooter(byte[] line) {
        byte[] begin = "{\"end\":".getBytes(StandardCharsets.US_ASCII);
        return line.length > begin.length && Arrays.equals(line, 0, begin.length, begin, 0, begin.length);
    }

    /** The store that a header names, or null where the line is no header. */
    static @Nullable String storeOf(byte[] line) {
        JsonNode header = treeOf(line);
        return header == null || !header.path("history").isString()
                ? null
                : header.path("store").asString(null);
    }

    /** Whether a line can be read at all. */
    static boolean isDocument(byte[] line) {
        JsonNode document = treeOf(line);
        return document != null && document.isObject();
    }

    private static @Nullable JsonNode treeOf(byte[] line) {
        try {
            return JsonMapper.shared().readTree(line);
        } catch (JacksonException e) {
            return null;
        }
    }
}
