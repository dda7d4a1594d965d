package io.pigeonhole.rabbitmq;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stands between sources and a RabbitMQ, and does to one queue what a broken member of a cluster does: it answers
 * {@code basic.consume} with the end of the connection, or not at all; or the connection ends at a certain message.
 */
final class AmqpProxy implements AutoCloseable {
    private static final int PROTOCOL_HEADER = 8;
    private static final int FRAME_HEADER = 7;
    private static final int METHOD = 1;
    private static final int BODY = 3;
    private static final int END = 0xCE;
    private static final int BASIC_CONSUME = (60 << 16) + 20;
    private static final int BASIC_CONSUME_OK = (60 << 16) + 21;
    private static final int CONNECTION_CLOSE = (10 << 16) + 50;

    /** What happens to whoever consumes a queue. */
    enum AtConsume {
        /** The broker closes the connection with 541, as where the member that has the queue is down. */
        INTERNAL_ERROR,
        /** Nothing happens until the queue is mended; then the broker gets the request, as with the majority of a quorum queue. */
        NO_ANSWER
    }

    private final ServerSocket listener;
    private final int server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "amqp-proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, AtConsume> bad = new ConcurrentHashMap<>();
    private final Queue<Runnable> kept = new ConcurrentLinkedQueue<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile String deadly = "";
    private volatile boolean holdsConsumeOk;
    private volatile Duration delay = Duration.ZERO;

    private AmqpProxy(ServerSocket listener, int server) {
        this.listener = listener;
        this.server = server;
    }

    static AmqpProxy before(int server) {
        try {
            AmqpProxy proxy = new AmqpProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), server);
            proxy.threads.execute(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    /** From now on, whoever consumes this queue. One at a time does not answer. */
    void breakQueue(String name, AtConsume how) {
        bad.put(name, how);
    }

    void mendQueue(String name) {
        bad.remove(name);
        for (Runnable request = kept.poll(); request != null; request = kept.poll()) {
            request.run();
        }
    }

    /** The connection to which a message with this body is delivered ends without a word. */
    void endAtBody(String body) {
        deadly = body;
    }

    /** The same, and the answer to {@code basic.consume} ends with it, as where both are in one segment that does not arrive. */
    void endAtBodyWithTheAnswer(String body) {
        holdsConsumeOk = true;
        deadly = body;
    }

    /** All frames of later connections come so much later. */
    void delay(Duration each) {
        delay = each;
    }

    /** How many requests to consume were not answered. */
    int unanswered() {
        return requests.get();
    }

    /** How many connections there have been. */
    int accepted() {
        return accepted.get();
    }

    /** Cuts all connections. */
    void cut() {
        open.forEach(AmqpProxy::close);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                accepted.incrementAndGet();
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), server);
                open.add(upstream);
                threads.execute(() -> pass(client, upstream, true));
                threads.execute(() -> pass(upstream, client, false));
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void pass(Socket from, Socket to, boolean fromClient) {
        ScheduledExecutorService late = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread daemon = new Thread(task, "late frames");
            daemon.setDaemon(true);
            return daemon;
        });
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            OutputStream out = to.getOutputStream();
            if (fromClient) {
                out.write(in.readNBytes(PROTOCOL_HEADER));
            }
            byte[] held = new byte[0];
            for (byte[] frame = read(in); frame != null; frame = read(in)) {
                if (!fromClient && holdsConsumeOk && (isConsumeOk(frame) || (held.length > 0 && frame[0] != BODY))) {
                    held = joined(held, frame);
                    continue;
                }
                AtConsume fault = fromClient ? faultOf(frame) : null;
                if (fault == AtConsume.INTERNAL_ERROR) {
                    from.getOutputStream().write(internalError());
                } else if (fault == AtConsume.NO_ANSWER) {
                    byte[] unanswered = frame;
                    requests.incrementAndGet();
                    kept.add(() -> write(out, unanswered));
                } else if (!fromClient && isDeadly(frame)) {
                    return;
                } else if (fault == null && delay.isZero()) {
                    out.write(joined(held, frame));
                    held = new byte[0];
                } else if (fault == null) {
                    byte[] later = frame;
                    var unused = late.schedule(() -> write(out, later), delay.toNanos(), TimeUnit.NANOSECONDS);
                }
            }
        } catch (IOException e) {
            // Either side has closed, or was cut; so do we.
        } finally {
            late.shutdownNow();
            open.remove(from);
            open.remove(to);
        }
    }

    private static void write(OutputStream out, byte[] frame) {
        try {
            out.write(frame);
        } catch (IOException e) {
            // Either side has closed.
        }
    }

    private static byte @Nullable [] read(DataInputStream in) throws IOException {
        byte[] header = in.readNBytes(FRAME_HEADER);
        if (header.length < FRAME_HEADER) {
            return null;
        }
        int size = intAt(header, 3);
        byte[] rest = in.readNBytes(size + 1);
        byte[] frame = Arrays.copyOf(header, FRAME_HEADER + rest.length);
        System.arraycopy(rest, 0, frame, FRAME_HEADER, rest.length);
        return frame;
    }

    private @Nullable AtConsume faultOf(byte[] frame) {
        if (frame[0] != METHOD || intAt(frame, FRAME_HEADER) != BASIC_CONSUME) {
            return null;
        }
        // Behind class, method and a short that is not used.
        int at = FRAME_HEADER + 6;
        int tag = at + 1 + (frame[at] & 0xff);
        // Without a tag of the client's it is the question of what kind the queue is, which the queue itself never
        // sees.
        return frame[tag] == 0 ? null : bad.get(new String(frame, at + 1, frame[at] & 0xff, StandardCharsets.UTF_8));
    }

    private boolean isDeadly(byte[] frame) {
        return frame[0] == BODY
                && !deadly.isEmpty()
                && new String(frame, FRAME_HEADER, frame.length - FRAME_HEADER - 1, StandardCharsets.UTF_8)
                        .equals(deadly);
    }

    private static boolean isConsumeOk(byte[] frame) {
        return frame[0] == METHOD && intAt(frame, FRAME_HEADER) == BASIC_CONSUME_OK;
    }

    private static byte[] joined(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    private static int intAt(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }

    private static byte[] internalError() throws IOException {
        byte[] text = "INTERNAL_ERROR".getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(METHOD);
        out.writeShort(0);
        out.writeInt(4 + 2 + 1 + text.length + 4);
        out.writeInt(CONNECTION_CLOSE);
        out.writeShort(541);
        out.writeByte(text.length);
        out.write(text);
        out.writeInt(BASIC_CONSUME);
        out.writeByte(END);
        return bytes.toByteArray();
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
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
        threads.shutdownNow();
    }
}
