package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Opens connections and sees which channels are opened and closed, and what is acknowledged on them. */
final class WatchedConnections implements ConnectionOpener {
    private final List<Seen> channels = new CopyOnWriteArrayList<>();

    /** One channel. */
    static final class Seen {
        private final AtomicLong acknowledged = new AtomicLong();
        private final AtomicLong frames = new AtomicLong();
        private final List<String> closings = new CopyOnWriteArrayList<>();

        /** How many acknowledgements were sent, each for one message or more. */
        long frames() {
            return frames.get();
        }

        /** The greatest delivery tag that was acknowledged. */
        long acknowledged() {
            return acknowledged.get();
        }

        /** Why it was closed; empty while it is open. */
        List<String> closings() {
            return closings;
        }
    }

    List<Seen> channels() {
        return channels;
    }

    @Override
    public Connection open(ConnectionFactory factory, String name) throws IOException, TimeoutException {
        return watched(factory.newConnection(name));
    }

    private Connection watched(Connection connection) {
        return proxy(Connection.class, connection, (method, values) -> {}, result -> {
            if (result instanceof Channel channel) {
                Seen seen = new Seen();
                channels.add(seen);
                channel.addShutdownListener(signal -> seen.closings.add(String.valueOf(signal.getMessage())));
                return watched(channel, seen);
            }
            return result;
        });
    }

    private static Channel watched(Channel channel, Seen seen) {
        return proxy(
                Channel.class,
                channel,
                (method, values) -> {
                    if (method.equals("basicAck")) {
                        seen.frames.incrementAndGet();
                        seen.acknowledged.accumulateAndGet((Long) values[0], Math::max);
                    }
                },
                result -> result);
    }

    /** What to do before a call. */
    @FunctionalInterface
    interface Before {
        void call(String method, Object[] values);
    }

    /** What to make of the result of a call. */
    @FunctionalInterface
    interface After {
        Object of(Object result);
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // A call without values has null for them, one without result, too.
    static <T> T proxy(Class<T> type, T target, Before before, After after) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
            before.call(method.getName(), values);
            try {
                return after.of(method.invoke(target, values));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }
}
