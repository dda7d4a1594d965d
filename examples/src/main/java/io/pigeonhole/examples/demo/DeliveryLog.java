package io.pigeonhole.examples.demo;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * An append-only file with a line for each delivery: what was handed to the consumer, whatever became of it. What was
 * written survives a SIGKILL of the writer, because it belongs to the operating system by then. A line that the kill cut
 * short still counts as one: the next writer ends it. Safe for use by many threads.
 */
public final class DeliveryLog implements AutoCloseable {
    private final FileChannel channel;

    private DeliveryLog(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Opens a file, which need not be there.
     *
     * @param file the file
     * @return a log that continues it
     */
    public static DeliveryLog append(Path file) {
        try {
            boolean cutShort = endsInsideLine(file);
            DeliveryLog log =
                    new DeliveryLog(FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
            if (cutShort) {
                log.write("\n");
            }
            return log;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean endsInsideLine(Path file) throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return false;
        }
        try (RandomAccessFile end = new RandomAccessFile(file.toFile(), "r")) {
            end.seek(end.length() - 1);
            return end.read() != '\n';
        }
    }

    /**
     * Appends lines in one write.
     *
     * @param lines lines, each ending with a line feed
     */
    public synchronized void write(String lines) {
        ByteBuffer bytes = ByteBuffer.wrap(lines.getBytes(StandardCharsets.UTF_8));
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot count deliveries", e);
        }
    }

    /**
     * How many lines a file has.
     *
     * @param file the file
     * @return none if it is not there
     */
    public static long count(Path file) {
        if (!Files.exists(file)) {
            return 0;
        }
        try (var lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
