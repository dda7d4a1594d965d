package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file of one day while it is written. What is behind the last line that has an end was cut off by a crash and is removed.
 * Used by one thread.
 */
final class JsonLinesDay implements ArchivedDay {
    private static final int BUFFER = 1 << 16;
    private static final byte END = '\n';

    private final Path complete;
    private final Path part;
    private final @Nullable FileChannel channel;
    private final @Nullable OutputStream out;
    private final @Nullable Place last;
    private long entries;
    private boolean renamed;

    private JsonLinesDay(Path complete, Path part, @Nullable FileChannel channel, @Nullable Place last, long entries) {
        this.complete = complete;
        this.part = part;
        this.channel = channel;
        this.out = channel == null ? null : new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER);
        this.last = last;
        this.entries = entries;
    }

    static JsonLinesDay open(Path complete, Path part) throws IOException {
        if (Files.exists(complete)) {
            return completed(complete, part);
        }
        FileChannel channel =
                FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            lock(channel, part);
            if (Files.exists(complete)) {
                channel.close();
                return completed(complete, part);
            }
            Lines lines = Lines.of(channel);
            channel.truncate(lines.end());
            channel.position(lines.end());
            String line = lines.last();
            return new JsonLinesDay(complete, part, channel, line == null ? null : place(line), lines.count());
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static JsonLinesDay completed(Path complete, Path part) throws IOException {
        try (FileChannel channel = FileChannel.open(complete, StandardOpenOption.READ)) {
            return new JsonLinesDay(
                    complete, part, null, null, Lines.of(channel).count());
        }
    }

    /** Until the channel is closed. */
    private static void lock(FileChannel channel, Path part) throws IOException {
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            throw new IOException(part + " is being written by another thread", e);
        }
        if (lock == null) {
            throw new IOException(part + " is being written by another process");
        }
    }

    private static Place place(String line) {
        var document = JsonMapper.shared().readTree(line);
        return new Place(
                document.required("consumer").asString(),
                document.required("place").asLong());
    }

    @Override
    public boolean isComplete() {
        return channel == null;
    }

    @Override
    public long entries() {
        return entries;
    }

    @Override
    public @Nullable Place last() {
        return last;
    }

    @Override
    public void append(String consumer, HistoryEntry entry) throws IOException {
        OutputStream open = require(out);
        open.write(JsonLine.of(consumer, entry));
        open.write(END);
        entries++;
    }

    /** The file is on the disk before it gets its name. */
    @Override
    public void complete() throws IOException {
        require(out).flush();
        require(channel).force(true);
        Files.move(part, complete, StandardCopyOption.ATOMIC_MOVE);
        renamed = true;
        forceDirectory();
    }

    /** So that the new name survives a crash of the machine, where the system can open a directory at all. */
    private void forceDirectory() {
        Path directory = complete.toAbsolutePath().getParent();
        if (directory == null) {
            return;
        }
        try (FileChannel entry = FileChannel.open(directory, StandardOpenOption.READ)) {
            entry.force(true);
        } catch (IOException e) {
            // The content is on the disk; without the new name the next export gives it once more.
        }
    }

    @Override
    public void close() throws IOException {
        if (channel == null) {
            return;
        }
        try {
            if (!renamed) {
                require(out).flush();
            }
        } finally {
            channel.close();
        }
    }

    private static <T> T require(@Nullable T open) {
        if (open == null) {
            throw new IllegalStateException("the day is complete, nothing can be written");
        }
        return open;
    }

    /**
     * The whole lines of a file.
     *
     * @param count how many
     * @param end where the last one ends
     * @param last the last one without its end, or null
     */
    private record Lines(long count, long end, @Nullable String last) {
        static Lines of(FileChannel channel) throws IOException {
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
            long count = 0;
            long begin = 0;
            long end = 0;
            long at = 0;
            while (channel.read(buffer, at) > 0) {
                buffer.flip();
                for (int i = 0; i < buffer.limit(); i++) {
                    if (buffer.get(i) == END) {
                        count++;
                        begin = end;
                        end = at + i + 1;
                    }
                }
                at += buffer.limit();
                buffer.clear();
            }
            return new Lines(count, end, count == 0 ? null : read(channel, begin, end - 1));
        }

        private static String read(FileChannel channel, long begin, long end) throws IOException {
            ByteBuffer line = ByteBuffer.allocate(Math.toIntExact(end - begin));
            while (line.hasRemaining() && channel.read(line, begin + line.position()) >= 0) {
                // Goes on until all of it is there.
            }
            return new String(line.array(), StandardCharsets.UTF_8);
        }
    }
}
