package io.pigeonhole.jackson;

import io.pigeonhole.core.store.HistoryEntry;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Compares the messages of a file with those of the history, one after the other from the first one. Used by one thread. */
final class MessageLines implements AutoCloseable {
    private final Path file;
    private @Nullable FileChannel channel;
    private @Nullable LineReader lines;

    /**
     * The messages of a file.
     *
     * @param file is opened for the first comparison
     */
    MessageLines(Path file) {
        this.file = file;
    }

    /** Whether this is the next message of the file. The same message is always the same bytes. */
    boolean hasNext(String consumer, HistoryEntry entry) throws IOException {
        return Arrays.equals(lines().next(), JsonLine.of(consumer, entry));
    }

    /** Behind the first line, which is no message. */
    private LineReader lines() throws IOException {
        LineReader opened = lines;
        if (opened == null) {
            channel = FileChannel.open(file, StandardOpenOption.READ);
            opened = new LineReader(channel);
            opened.next();
            lines = opened;
        }
        return opened;
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
