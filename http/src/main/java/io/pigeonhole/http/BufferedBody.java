package io.pigeonhole.http;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The body of a request that was read as a whole. */
final class BufferedBody {
    private BufferedBody() {}

    /** Null where it has more bytes. */
    static byte @Nullable [] read(HttpServletRequest request, int largest) throws IOException {
        InputStream in = request.getInputStream();
        byte[] body = in.readNBytes(largest);
        return body.length == largest && in.read() >= 0 ? null : body;
    }

    /**
     * Whether the body was sent without a length (chunked), and was read to its end by somebody in front. To be asked before
     * {@link #read}.
     */
    static boolean isAtEnd(HttpServletRequest request) throws IOException {
        return request.getContentLengthLong() < 0
                && request.getHeader("Transfer-Encoding") != null
                && request.getInputStream().isFinished();
    }

    /** Whether this is not all that the client has sent. */
    static boolean isIncomplete(HttpServletRequest request, byte[] body, boolean wasAtEnd) {
        long announced = request.getContentLengthLong();
        return announced >= 0 ? announced != body.length : wasAtEnd && body.length == 0;
    }

    /** Reads it again. */
    static ServletInputStream stream(byte[] body) {
        return new Stream(new ByteArrayInputStream(body));
    }

    private static final class Stream extends ServletInputStream {
        private final ByteArrayInputStream in;

        Stream(ByteArrayInputStream in) {
            this.in = in;
        }

        @Override
        public int read() {
            return in.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            return in.read(into, offset, length);
        }

        @Override
        public int available() {
            return in.available();
        }

        @Override
        public boolean isFinished() {
            return in.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw GuardedRequest.noAsync();
        }
    }
}
