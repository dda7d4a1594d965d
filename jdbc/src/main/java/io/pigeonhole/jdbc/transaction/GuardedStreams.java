package io.pigeonhole.jdbc.transaction;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.FilterReader;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;

/** Streams of large values, which some drivers read and write through the connection. They end with the handler's call. */
final class GuardedStreams {
    private GuardedStreams() {}

    /** Something to do with a stream. */
    @FunctionalInterface
    private interface Step<T> {
        T run() throws IOException;
    }

    private static <T> T inTurn(HandlerCall call, Step<T> step) throws IOException {
        call.enter();
        try {
            return step.run();
        } finally {
            call.leave();
        }
    }

    /** Something to do with a stream that answers nothing. */
    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    private static void doInTurn(HandlerCall call, Action action) throws IOException {
        call.enter();
        try {
            action.run();
        } finally {
            call.leave();
        }
    }

    /** Bytes to be read. */
    static final class In extends FilterInputStream {
        private final HandlerCall call;

        In(InputStream in, HandlerCall call) {
            super(in);
            this.call = call;
        }

        @Override
        public int read() throws IOException {
            return inTurn(call, in::read);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return inTurn(call, () -> in.read(bytes, offset, length));
        }

        @Override
        public long skip(long count) throws IOException {
            return inTurn(call, () -> in.skip(count));
        }

        @Override
        public int available() throws IOException {
            return inTurn(call, in::available);
        }

        @Override
        public void close() throws IOException {
            doInTurn(call, in::close);
        }
    }

    /** Bytes to be written. */
    static final class Out extends FilterOutputStream {
        private final HandlerCall call;

        Out(OutputStream out, HandlerCall call) {
            super(out);
            this.call = call;
        }

        @Override
        public void write(int each) throws IOException {
            doInTurn(call, () -> out.write(each));
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            doInTurn(call, () -> out.write(bytes, offset, length));
        }

        @Override
        public void flush() throws IOException {
            doInTurn(call, out::flush);
        }

        @Override
        public void close() throws IOException {
            doInTurn(call, out::close);
        }
    }

    /** Characters to be read. */
    static final class Text extends FilterReader {
        private final HandlerCall call;

        Text(Reader in, HandlerCall call) {
            super(in);
            this.call = call;
        }

        @Override
        public int read() throws IOException {
            return inTurn(call, in::read);
        }

        @Override
        public int read(char[] characters, int offset, int length) throws IOException {
            return inTurn(call, () -> in.read(characters, offset, length));
        }

        @Override
        public void close() throws IOException {
            doInTurn(call, in::close);
        }
    }

    /** Characters to be written. */
    static final class TextOut extends FilterWriter {
        private final HandlerCall call;

        TextOut(Writer out, HandlerCall call) {
            super(out);
            this.call = call;
        }

        @Override
        public void write(int each) throws IOException {
            doInTurn(call, () -> out.write(each));
        }

        @Override
        public void write(char[] characters, int offset, int length) throws IOException {
            doInTurn(call, () -> out.write(characters, offset, length));
        }

        @Override
        public void write(String text, int offset, int length) throws IOException {
            doInTurn(call, () -> out.write(text, offset, length));
        }

        @Override
        public void flush() throws IOException {
            doInTurn(call, out::flush);
        }

        @Override
        public void close() throws IOException {
            doInTurn(call, out::close);
        }
    }
}
