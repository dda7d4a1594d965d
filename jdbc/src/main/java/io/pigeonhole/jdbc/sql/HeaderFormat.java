package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Utf8;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Headers as bytes, because their values are bytes and their names may hold what no text column takes. An on-disk format,
 * specified in {@code docs/tables.md}: the version byte 1, the number of headers, then for each the length of its name, the
 * name in UTF-8, the length of its value or -1 for none, the value. Numbers have 4 bytes, the most significant first.
 */
public final class HeaderFormat {
    private static final byte VERSION = 1;
    private static final int NO_VALUE = -1;

    private HeaderFormat() {}

    public static byte[] write(Headers headers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(64);
        out.write(VERSION);
        writeNumber(out, headers.list().size());
        for (Header header : headers) {
            byte[] name = Utf8.replacing(header.name());
            writeNumber(out, name.length);
            out.writeBytes(name);
            byte[] value = header.value();
            writeNumber(out, value == null ? NO_VALUE : value.length);
            if (value != null) {
                out.writeBytes(value);
            }
        }
        return out.toByteArray();
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IllegalArgumentException if the bytes are something else
     */
    public static Headers read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            byte version = in.get();
            if (version != VERSION) {
                throw new IllegalArgumentException("headers of format " + version + ", this version reads " + VERSION);
            }
            int count = in.getInt();
            List<Header> headers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String name = new String(readBytes(in, in.getInt()), StandardCharsets.UTF_8);
                int length = in.getInt();
                headers.add(new Header(name, length == NO_VALUE ? null : readBytes(in, length)));
            }
            return new Headers(headers);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("headers that end after " + bytes.length + " bytes", e);
        }
    }

    private static byte[] readBytes(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static void writeNumber(ByteArrayOutputStream out, int number) {
        out.write(number >>> 24);
        out.write(number >>> 16);
        out.write(number >>> 8);
        out.write(number);
    }
}
