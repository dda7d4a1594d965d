package io.pigeonhole.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** Takes connections in front of a broker, and hands on nothing until it is told to. */
final class SilentBroker implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final CountDownLatch answers = new CountDownLatch(1);
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    private final String host;
    private final int port;

    SilentBroker(String broker) throws IOException {
        int colon = broker.lastIndexOf(':');
        this.host = broker.substring(0, colon);
        this.port = Integer.parseInt(broker.substring(colon + 1));
        start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    void answer() {
        answers.countDown();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "silent-broker");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                open.add(client);
                start(() -> serve(client));
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private void serve(Socket client) {
        try {
            answers.await();
            Socket broker = new Socket(host, port);
            open.add(broker);
            start(() -> copy(broker, client));
            copy(client, broker);
        } catch (IOException | InterruptedException e) {
            // The test is over.
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
        } catch (IOException e) {
            // One of them is closed, and so is the other.
        }
    }

    @Override
    public void close() throws IOException {
        answers.countDown();
        server.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
