package io.pigeonhole.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message as a file: lines {@code name: value}, an empty line, the payload. What is no such file is all payload. */
final class SpoolFile {
    static final String SUFFIX = ".message";

    private SpoolFile() {}

    /** Whole or not at all: another name first, then this one. */
    static void write(Path directory, String name, Message message) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        MessageId id = message.id();
        line(bytes, "id", id == null ? null : id.toBytes());
        line(bytes, "type", bytesOf(message.type()));
        line(bytes, "content-type", bytesOf(message.contentType()));
        line(bytes, "key", message.orderingKey());
        for (Header header : message.headers()) {
            line(bytes, "header-" + header.name(), header.value());
        }
        bytes.write('\n');
        bytes.writeBytes(message.payload());
        Path begun = Files.write(directory.resolve(name + ".begun"), bytes.toByteArray());
        Files.move(begun, directory.resolve(name + SUFFIX), StandardCopyOption.ATOMIC_MOVE);
    }

    private static byte @Nullable [] bytesOf(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    private static void line(ByteArrayOutputStream bytes, String name, byte @Nullable [] value) {
        if (value != null) {
            bytes.writeBytes((name + ": ").getBytes(UTF_8));
            bytes.writeBytes(value);
            bytes.write('\n');
        }
    }

    static Message read(Path file, String source) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Message.Builder message = Message.builder(source);
        List<Header> headers = new ArrayList<>();
        int at = 0;
        for (int end = endOfLine(bytes, at); end > at; end = endOfLine(bytes, at)) {
            String line = new String(bytes, at, end - at, UTF_8);
            int colon = line.indexOf(": ");
            if (colon < 0) {
                return message.payload(bytes)
                        .origin(file.toString())
                        .build(); // No id: a dead letter with all its bytes.
            }
            put(message, headers, line.substring(0, colon), line.substring(colon + 2));
            at = end + 1;
        }
        return message.headers(new Headers(headers))
                .payload(Arrays.copyOfRange(bytes, Math.min(at + 1, bytes.length), bytes.length))
                .origin(file.toString())
                .build();
    }

    private static void put(Message.Builder message, List<Header> headers, String name, String value) {
        switch (name) {
            case "id" -> message.id(value);
            case "type" -> message.type(value);
            case "content-type" -> message.contentType(value);
            case "key" -> message.orderingKey(value);
            default -> headers.add(new Header(name.replaceFirst("^header-", ""), value.getBytes(UTF_8)));
        }
    }

    private static int endOfLine(byte[] bytes, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return bytes.length;
    }
}
