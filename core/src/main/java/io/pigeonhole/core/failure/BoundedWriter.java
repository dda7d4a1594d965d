package io.pigeonhole.core.failure;

import java.io.Writer;

/** Takes so much text and then throws, so that a stack trace without an end is not printed for ever. Used by one thread. */
final class BoundedWriter extends Writer {
    private static final int MOST = 16_000;

    private final StringBuilder text = new StringBuilder();

    @Override
    public void write(char[] buffer, int offset, int length) {
        int left = MOST - text.length();
        text.append(buffer, offset, Math.min(length, left));
        if (length > left) {
            throw new IllegalStateException("the text has more than " + MOST + " characters");
        }
    }

    boolean isFull() {
        return text.length() == MOST;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
