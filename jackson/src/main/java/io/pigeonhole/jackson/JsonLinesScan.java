package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.ArchivedDay.Place;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of the archive from its beginning and finds how far it can be relied on: each line is looked at, and the order
 * of the messages. Used once, by one thread.
 */
final class JsonLinesScan {
    private static final byte END = '\n';

    private final byte[] header;
    private final LocalDate day;
    private final Set<String> consumers = new HashSet<>();
    private final MessageDigest digest = Sha256.begin();
    private long end;
    private long lines;
    private long entries;
    private @Nullable Place last;
    private byte @Nullable [] first;
    private boolean closed;
    private @Nullable String fault;

    private JsonLinesScan(String store, LocalDate day) {
        this.header = JsonLinesFrame.header(store, day);
        this.day = day;
    }

    /** Each line of an unfinished file is read as what it is. */
    static JsonLinesScan ofUnfinished(FileChannel channel, String store, LocalDate day) throws IOException {
        return new JsonLinesScan(store, day).scan(channel, true);
    }

    /** The lines of a finished file are counted and compared with what its last line says. */
    static JsonLinesScan ofFinished(FileChannel channel, String store, LocalDate day) throws IOException {
        return new JsonLinesScan(store, day).scan(channel, false);
    }

    private JsonLinesScan scan(FileChannel channel, boolean thorough) throws IOException {
        LineReader in = new LineReader(channel);
        byte[] line = in.next();
        while (line != null && fault == null) {
            take(line, thorough);
            line = fault == null ? in.next() : null;
        }
        if (fault == null && in.isBroken()) {
            fault = "line " + (lines + 1) + " has bytes that were never written, or no end";
        } else if (fault == null && closed && in.isCut()) {
            fault = "something stands behind its last line";
        }
        return this;
    }

    private void take(byte[] line, boolean thorough) {
        lines++;
        if (lines == 1) {
            first = line;
            fault = Arrays.equals(line, header) ? null : "its first line is not that of this store and day";
        } else if (closed) {
            fault = "something stands behind its last line";
        } else if (JsonLinesFrame.isFooter(line)) {
            close(line);
            return;
        } else if (thorough) {
            fault = faultOf(line);
        } else {
            entries++;
        }
        if (fault == null) {
            digest.update(line);
            digest.update(END);
            end += line.length + 1L;
        }
    }

    private void close(byte[] line) {
        if (Arrays.equals(line, JsonLinesFrame.footer(day, entries, sha256()))) {
            closed = true;
        } else {
            fault = "its last line says something else than what is before it";
        }
    }

    /** Null where the line is a whole message and follows those before it. */
    private @Nullable String faultOf(byte[] line) {
        Place place = JsonLine.placeOf(line);
        if (place == null) {
            return "line " + lines + " is no whole message";
        }
        Place before = last;
        boolean follows = (before != null && before.consumer().equals(place.consumer()))
                ? place.place() > before.place()
                : consumers.add(place.consumer());
        if (!follows) {
            return "line " + lines + " repeats messages of " + place.consumer() + ", or is in another order";
        }
        last = place;
        entries++;
        return null;
    }

    /** Whether it has no whole line, so that it says nothing about whose it is. */
    boolean isEmpty() {
        return first == null;
    }

    /**
     * Whether its first line is a document, but not that of the store and the day that were asked for. A file whose beginning is
     * missing or cannot be read is damaged, and may be anybody's.
     */
    boolean isOfAnother() {
        return first != null && !Arrays.equals(first, header) && JsonLinesFrame.isDocument(first);
    }

    /** The store that its first line names, or null where it names none. */
    @Nullable
    String store() {
        return first == null ? null : JsonLinesFrame.storeOf(first);
    }

    /** Whether it is a finished file with all that it once had. */
    boolean isWhole() {
        return closed && fault == null;
    }

    /** What is wrong with it, beyond a last line without its end; null for nothing. */
    @Nullable
    String fault() {
        return fault;
    }

    /** Where the last line ends that can be relied on; the last line of a finished file is not counted. */
    long end() {
        return end;
    }

    /** How many messages end before {@link #end}. */
    long entries() {
        return entries;
    }

    @Nullable
    Place last() {
        return last;
    }

    /** Of all bytes before {@link #end}; can be gone on with. */
    MessageDigest digest() {
        return Sha256.copy(digest);
    }

    private String sha256() {
        return Sha256.text(digest);
    }
}
