package io.pigeonhole.jdbc.transaction;

import java.io.FilterInputStream;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/**
 * The streams among the parameters of one batch of deferred writes, and what they threw. Drivers read them while they send a statement, and
 * take an error for the end of the connection, hide it, or repeat it with its values; so whatever a stream throws is an
 * {@link IOException} to the driver, and is found here.
 */
final class WatchedStreams {
    private @Nullable Failure failure;
    private boolean read;

    /**
     * What a stream threw.
     *
     * @param write whose parameter it is
     * @param cause what it threw
     */
    record Failure(DeferredWrite write, Throwable cause) {}

    /** The first failure, if there was one. */
    @Nullable
    Failure failure() {
        return failure;
    }

    /** Whether any of them was read, so that what is sent again would say something else. */
    boolean wereRead() {
        return read;
    }

    /** The parameter itself, unless it is a stream. */
    @Nullable
    Object watch(DeferredWrite write, @Nullable Object parameter) {
        if (parameter instanceof InputStream stream) {
            return new Bytes(stream, write);
        }
        return parameter instanceof Reader reader ? new Characters(reader, write) : parameter;
    }

    private int read(DeferredWrite write, Reading reading) throws IOException {
        read = true;
        try {
            return reading.read();
        } catch (Throwable e) {
            if (failure == null) {
                failure = new Failure(write, e);
            }
            throw new IOException("a parameter cannot be read: " + e.getClass().getName());
        }
    }

    /** Reads something. */
    @FunctionalInterface
    private interface Reading {
        int read() throws IOException;
    }

    private final class Bytes extends FilterInputStream {
        private final DeferredWrite write;

        Bytes(InputStream stream, DeferredWrite write) {
            super(stream);
            this.write = write;
        }

        @Override
        public int read() throws IOException {
            return WatchedStreams.this.read(write, in::read);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return WatchedStreams.this.read(write, () -> in.read(bytes, offset, length));
        }
    }

    private final class Characters extends FilterReader {
        private final DeferredWrite write;

        Characters(Reader reader, DeferredWrite write) {
            super(reader);
            this.write = write;
        }

        @Override
        public int read() throws IOException {
            return WatchedStreams.this.read(write, in::read);
        }

        @Override
        public int read(char[] characters, int offset, int length) throws IOException {
            return WatchedStreams.this.read(write, () -> in.read(characters, offset, length));
        }
    }
}
