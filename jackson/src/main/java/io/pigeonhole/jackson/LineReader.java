package io.pigeonhole.jackson;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a file from its beginning. It stops at a byte zero, which no line of JSON has: that is what a file system
 * shows where a crash of the machine kept bytes from being written. Used by one thread.
 */
final class LineReader {
    private static final int BUFFER = 1 << 16;

    /** A message in Base64 may have twice its bytes, and no store keeps one of a gigabyte. */
    private static final int LONGEST = Integer.MAX_VALUE - BUFFER;

    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long at;
    private boolean broken;

    LineReader(FileChannel channel) {
        this.channel = channel;
    }

    /** The next line without its end; null where there is none, or none that has its end. */
    byte @Nullable [] next() throws IOException {
        line.reset();
        while (!broken && (buffer.hasRemaining() || fill())) {
            int begin = buffer.position();
            int end = endOfLine(begin);
            line.write(buffer.array(), begin, end - begin);
            if (end < buffer.limit()) {
                buffer.position(end + 1);
                return broken ? null : line.toByteArray();
            }
            buffer.position(end);
            broken |= line.size() > LONGEST - BUFFER;
        }
        return null;
    }

    private int endOfLine(int begin) {
        int end = begin;
        while (end < buffer.limit() && buffer.get(end) != '\n') {
            broken |= buffer.get(end) == 0;
            end++;
        }
        return end;
    }

    private boolean fill() throws IOException {
        buffer.clear();
        int read = channel.read(buffer, at);
        buffer.flip();
        at += Math.max(0, read);
        return read > 0;
    }

    /** Whether it stopped at bytes that were never written, or at a line that is too long to be one. */
    boolean isBroken() {
        return broken;
    }

    /** Whether the file ends in the middle of a line. */
    boolean isCut() {
        return line.size() > 0;
    }
}
