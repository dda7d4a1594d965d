package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * The file of one day while it is written. What cannot be written is not tried again, since it is unknown how much of it the
 * disk has: the next one who opens the file finds its whole lines. Used by one thread.
 */
final class JsonLinesDay implements ArchivedDay {
    private static final int BUFFER = 1 << 16;
    private static final byte[] END = {'\n'};

    private final JsonLinesFile file;
    private final DayLock lock;
    private final MessageLines earlier;
    private FileChannel channel;
    private OutputStream out;
    private MessageDigest digest;
    private @Nullable Place last;
    private long entries;
    private boolean ended;

    /** Lock and channel are closed with the day. */
    JsonLinesDay(JsonLinesFile file, DayLock lock, FileChannel channel, JsonLinesScan confirmed) throws IOException {
        this.file = file;
        this.lock = lock;
        this.earlier = new MessageLines(file.part());
        this.channel = channel;
        this.last = confirmed.last();
        this.entries = confirmed.entries();
        this.digest = confirmed.digest();
        this.out = goOn(confirmed.end());
        if (confirmed.end() == 0) {
            header();
        }
    }

    /** What is behind the last line that was confirmed was cut off by a crash, and is removed. */
    private OutputStream goOn(long end) throws IOException {
        channel.truncate(end);
        channel.position(end);
        return new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER);
    }

    private void header() throws IOException {
        write(JsonLinesFrame.header(file.store(), file.day()));
    }

    private void write(byte[] line) throws IOException {
        if (ended) {
            throw new IOException(file.part() + " is not written any more, since an earlier line could not be written");
        }
        ended = true;
        out.write(line);
        out.write(END);
        digest.update(line);
        digest.update(END);
        ended = false;
    }

    @Override
    public boolean isComplete() {
        return false;
    }

    @Override
    public boolean hasNext(String consumer, HistoryEntry entry) throws IOException {
        return earlier.hasNext(consumer, entry);
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
        write(JsonLine.of(consumer, entry));
        last = new Place(consumer, entry.place(), entry.key());
        entries++;
    }

    @Override
    public void restart() throws IOException {
        ended = true;
        file.setAside(file.part(), "it has other messages than the history, or not all of them");
        channel.close();
        channel = file.openPart();
        digest = Sha256.begin();
        last = null;
        entries = 0;
        out = goOn(0);
        ended = false;
        header();
    }

    /** The file is on the disk, and was read again, before it gets its name. */
    @Override
    public void complete() throws IOException {
        write(JsonLinesFrame.footer(file.day(), entries, Sha256.text(digest)));
        ended = true;
        out.flush();
        channel.force(true);
        file.finish(entries);
    }

    /** What is in the buffer yet is left out: the next one who opens the file goes on behind its last whole line. */
    @Override
    public void close() throws IOException {
        // The lock ends last: nobody else is to have the file while this one could still write to it.
        try (lock;
                earlier) {
            channel.close();
        }
    }
}
