package io.pigeonhole.jdbc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands before a PostgreSQL server. The BEGIN that the driver sends by itself fails, once, as if it had been cancelled. */
final class CancellingProxy implements AutoCloseable {
    private static final String BEGIN = "Q\0\0\0\nBEGIN\0";
    private static final String CANCELLED =
            "DO $$BEGIN RAISE EXCEPTION 'canceling statement due to user request' USING ERRCODE = '57014'; END$$";

    private final ServerSocket entry;
    private final String url;
    private final AtomicBoolean armed = new AtomicBoolean();
    private final AtomicInteger cancelled = new AtomicInteger();
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

    private CancellingProxy(ServerSocket entry, String url) {
        this.entry = entry;
        this.url = url;
    }

    static CancellingProxy start(String url) {
        try {
            URI server = URI.create(url.substring("jdbc:".length()));
            ServerSocket entry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            String address = server.getHost() + ":" + server.getPort();
            CancellingProxy proxy = new CancellingProxy(
                    entry, url.replace(address, entry.getInetAddress().getHostAddress() + ":" + entry.getLocalPort()));
            background(() -> proxy.accept(server));
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The URL of the server, through this. */
    String url() {
        return url;
    }

    /** The next BEGIN fails. */
    void cancelNext() {
        armed.set(true);
    }

    int cancelled() {
        return cancelled.get();
    }

    private void accept(URI server) throws IOException {
        while (true) {
            Socket client = entry.accept();
            Socket target = new Socket(server.getHost(), server.getPort());
            sockets.add(client);
            sockets.add(target);
            background(() -> copy(client, target, true));
            background(() -> copy(target, client, false));
        }
    }

    private void copy(Socket from, Socket to, boolean isClient) throws IOException {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        byte[] bytes = new byte[65_536];
        for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
            String text = new String(bytes, 0, read, ISO_8859_1);
            if (isClient && text.contains(BEGIN) && armed.getAndSet(false)) {
                cancelled.incrementAndGet();
                int length = CANCELLED.length() + 5;
                text = text.replace(BEGIN, "Q\0\0" + (char) (length >> 8) + (char) (length & 0xff) + CANCELLED + "\0");
            }
            out.write(text.getBytes(ISO_8859_1));
            out.flush();
        }
        to.close();
    }

    private static void background(Step step) {
        Thread thread = new Thread(
                () -> {
                    try {
                        step.run();
                    } catch (IOException e) {
                        // One of both sides is gone.
                    }
                },
                "cancelling-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private interface Step {
        void run() throws IOException;
    }

    @Override
    public void close() {
        try {
            entry.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
