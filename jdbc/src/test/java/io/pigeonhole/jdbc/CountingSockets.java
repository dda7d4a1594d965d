package io.pigeonhole.jdbc;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;

/**
 * Counts the trips to a PostgreSQL server, which is how often something is read after something was written, and the statements
 * that it is told to execute. The driver makes it by its name, so that the counts are static; tests that use it do not run side by
 * side.
 */
public final class CountingSockets extends SocketFactory {
    private static final AtomicInteger TRIPS = new AtomicInteger();
    private static final AtomicInteger STATEMENTS = new AtomicInteger();

    /** For the driver. */
    public CountingSockets() {}

    static int trips() {
        return TRIPS.get();
    }

    /** Those that begin a transaction included, which the driver puts before the first of it. */
    static int statements() {
        return STATEMENTS.get();
    }

    @Override
    public Socket createSocket() {
        return new CountingSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new IOException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        throw new IOException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw new IOException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        throw new IOException("the driver connects by itself");
    }

    private static final class CountingSocket extends Socket {
        private final FrontendMessages messages = new FrontendMessages();
        private boolean written;

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    if (written) {
                        written = false;
                        TRIPS.incrementAndGet();
                    }
                    return super.read(bytes, offset, length);
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    written = true;
                    for (int i = offset; i < offset + length; i++) {
                        messages.take(bytes[i]);
                    }
                    out.write(bytes, offset, length);
                }
            };
        }
    }

    /** Tells the messages of a client apart: a type, but not before the session has begun, a length that counts itself, a body. */
    private static final class FrontendMessages {
        private static final int SSL_REQUEST = 80_877_103;
        private static final int GSS_REQUEST = 80_877_104;

        private boolean typed;
        private int type;
        private int lengthBytes;
        private int length;
        private int bodyBytes;
        private int code;

        void take(byte next) {
            if (typed && type == 0) {
                type = next;
            } else if (lengthBytes < Integer.BYTES) {
                length = (length << 8) | (next & 0xFF);
                lengthBytes++;
            } else {
                code = bodyBytes < Integer.BYTES ? (code << 8) | (next & 0xFF) : code;
                bodyBytes++;
            }
            if (lengthBytes == Integer.BYTES && bodyBytes == length - Integer.BYTES) {
                end();
            }
        }

        private void end() {
            if (type == 'E' || type == 'Q') {
                STATEMENTS.incrementAndGet();
            }
            typed |= code != SSL_REQUEST && code != GSS_REQUEST;
            type = 0;
            lengthBytes = 0;
            length = 0;
            bodyBytes = 0;
            code = 0;
        }
    }
}
