package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A day that was completed before. It can be compared with the history, line by line. Used by one thread. */
final class FinishedDay implements ArchivedDay {
    private final MessageLines lines;
    private final long entries;

    /**
     * A day.
     *
     * @param file is whole
     * @param entries how many messages it has
     */
    FinishedDay(Path file, long entries) {
        this.lines = new MessageLines(file);
        this.entries = entries;
    }

    @Override
    public boolean isComplete() {
        return true;
    }

    @Override
    public boolean hasNext(String consumer, HistoryEntry entry) throws IOException {
        return lines.hasNext(consumer, entry);
    }

    @Override
    public long entries() {
        return entries;
    }

    @Override
    public @Nullable Place last() {
        return null;
    }

    @Override
    public void append(String consumer, HistoryEntry entry) {
        throw refusal();
    }

    @Override
    public void restart() {
        throw refusal();
    }

    @Override
    public void complete() {
        throw refusal();
    }

    private static IllegalStateException refusal() {
        return new IllegalStateException("the day is complete, nothing can be written");
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
