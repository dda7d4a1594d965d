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
 * Counts the trips to the server: how often something is read after something was written. The driver makes it by its name,
 * so that the count is static; tests that use it do not run side by side.
 */
public final class CountingSockets extends SocketFactory {
    private static final AtomicInteger TRIPS = new AtomicInteger();

    /** For the driver. */
    public CountingSockets() {}

    static int trips() {
        return TRIPS.get();
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
                    out.write(bytes, offset, length);
                }
            };
        }
    }
}
