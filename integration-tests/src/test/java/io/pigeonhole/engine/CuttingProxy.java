package io.pigeonhole.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Stands between a client and a database server and cuts one connection in the middle of a COMMIT: either before the server
 * hears of it, or after the server has done it and before the client hears of that. To the client both look the same.
 */
final class CuttingProxy implements AutoCloseable {
    /** With the NUL that ends a statement in the protocol: the isolation level is called READ COMMITTED. */
    private static final byte[] COMMIT = "COMMIT\0".getBytes(US_ASCII);

    /** When to cut. */
    enum Cut {
        NEVER,
        BEFORE_THE_SERVER_HEARS,
        AFTER_THE_SERVER_ANSWERS
    }

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicReference<Cut> next = new AtomicReference<>(Cut.NEVER);
    private final int server;

    CuttingProxy(int server) throws IOException {
        this.server = server;
        threads.execute(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The next COMMIT that comes by is cut, once. */
    void cutNextCommit(Cut cut) {
        next.set(cut);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), server);
                Pair pair = new Pair(client, upstream);
                threads.execute(pair::clientToServer);
                threads.execute(pair::serverToClient);
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    /** One connection and its way on. */
    private final class Pair {
        private final Socket client;
        private final Socket upstream;
        private volatile boolean swallow;

        Pair(Socket client, Socket upstream) {
            this.client = client;
            this.upstream = upstream;
        }

        void clientToServer() {
            try (client;
                    upstream) {
                InputStream in = client.getInputStream();
                OutputStream out = upstream.getOutputStream();
                byte[] buffer = new byte[65_536];
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    if (holdsCommit(buffer, n)) {
                        Cut cut = next.getAndSet(Cut.NEVER);
                        if (cut == Cut.BEFORE_THE_SERVER_HEARS) {
                            return;
                        }
                        swallow = cut == Cut.AFTER_THE_SERVER_ANSWERS;
                    }
                    out.write(buffer, 0, n);
                }
            } catch (IOException e) {
                // Either side has closed; so do we.
            }
        }

        void serverToClient() {
            try (client;
                    upstream) {
                InputStream in = upstream.getInputStream();
                OutputStream out = client.getOutputStream();
                byte[] buffer = new byte[65_536];
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    if (swallow) {
                        return;
                    }
                    out.write(buffer, 0, n);
                }
            } catch (IOException e) {
                // Either side has closed; so do we.
            }
        }

        private boolean holdsCommit(byte[] buffer, int length) {
            for (int i = 0; i + COMMIT.length <= length; i++) {
                int matched = 0;
                while (matched < COMMIT.length && buffer[i + matched] == COMMIT[matched]) {
                    matched++;
                }
                if (matched == COMMIT.length) {
                    return true;
                }
            }
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        threads.shutdownNow();
    }
}
