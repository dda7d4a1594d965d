package io.pigeonhole.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Stands between clients and a server. It can cut the connections, and freeze them: then nothing comes through, and nothing
 * is closed. While the server is away it refuses by closing.
 */
public final class UnreliableProxy implements AutoCloseable {
    private static final int CONNECT_MILLIS = 2_000;

    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition thawed = lock.newCondition();
    private boolean frozen;
    private volatile boolean refusing;
    private volatile int server;

    private UnreliableProxy(ServerSocket listener, int server) {
        this.listener = listener;
        this.server = server;
    }

    /** Before a server of this machine. */
    public static UnreliableProxy before(int server) {
        try {
            UnreliableProxy proxy =
                    new UnreliableProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), server);
            proxy.threads.execute(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** From the next connection on. */
    public void server(int port) {
        server = port;
    }

    public void cut() {
        open.forEach(UnreliableProxy::close);
    }

    /** Cuts all connections, and lets nobody connect. */
    public void refuse() {
        refusing = true;
        cut();
    }

    /** Lets everybody connect again. */
    public void admit() {
        refusing = false;
    }

    public void freeze() {
        lock.lock();
        try {
            frozen = true;
        } finally {
            lock.unlock();
        }
    }

    public void thaw() {
        lock.lock();
        try {
            frozen = false;
            thawed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void awaitThaw() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (frozen) {
                thawed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                threads.execute(() -> connect(client));
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void connect(Socket client) {
        Socket upstream = new Socket();
        open.add(client);
        open.add(upstream);
        if (refusing) {
            end(client, upstream);
            return;
        }
        try {
            upstream.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server), CONNECT_MILLIS);
            threads.execute(() -> pass(client, upstream));
            pass(upstream, client);
        } catch (IOException e) {
            end(client, upstream);
        }
    }

    private void pass(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[65_536];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                awaitThaw();
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // Either side has closed, or was cut; so do we.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end(from, to);
        }
    }

    private void end(Socket one, Socket other) {
        close(one);
        close(other);
        open.remove(one);
        open.remove(other);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        thaw();
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
        threads.shutdownNow();
    }
}
