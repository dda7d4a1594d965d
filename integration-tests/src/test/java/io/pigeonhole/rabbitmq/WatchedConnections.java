package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Opens connections and sees on which channels is consumed, which are closed, and what is acknowledged on them. */
final class WatchedConnections implements ConnectionOpener {
    private final List<Seen> channels = new CopyOnWriteArrayList<>();

    /** One channel. */
    static final class Seen {
        private final Channel channel;
        private final AtomicLong frames = new AtomicLong();
        private final BitSet acknowledged = new BitSet();
        private final List<String> closings = new CopyOnWriteArrayList<>();
        private final AtomicInteger consumers = new AtomicInteger();
        private final AtomicInteger cancelled = new AtomicInteger();
        private volatile int prefetch;
        private volatile int limit;

        Seen(Channel channel) {
            this.channel = channel;
        }

        private void acknowledged(long deliveryTag, boolean multiple) {
            int tag = Math.toIntExact(deliveryTag);
            synchronized (acknowledged) {
                acknowledged.set(multiple ? Math.min(acknowledged.nextClearBit(1), tag) : tag, tag + 1);
            }
            frames.incrementAndGet();
        }

        /** How many messages the newest consumer may have, or the next. */
        int prefetch() {
            return prefetch;
        }

        /** How many messages all consumers together may have; 0 where there is no such limit. */
        int limit() {
            return limit;
        }

        /** How many consumers were begun. */
        int consumers() {
            return consumers.get();
        }

        /** How many consumers were cancelled. */
        int cancelled() {
            return cancelled.get();
        }

        /** How many acknowledgements were sent, each for one message or more. */
        long frames() {
            return frames.get();
        }

        /** How many deliveries were acknowledged; the acknowledgements may still be on their way to the broker. */
        long acknowledged() {
            synchronized (acknowledged) {
                return acknowledged.cardinality();
            }
        }

        /**
         * Waits until the broker has the acknowledgements that were sent: it answers what comes behind them on their channel
         * after it has handed them to the queue, which takes them before it notices the end of the channel.
         */
        void awaitBroker(AmqpQueue queue) throws IOException {
            channel.messageCount(queue.name());
        }

        /** Why it was closed; empty while it is open. */
        List<String> closings() {
            return closings;
        }
    }

    /** Those on which messages were to be consumed, in the order in which that began. */
    List<Seen> channels() {
        return channels;
    }

    @Override
    public Connection open(ConnectionFactory factory, String name) throws IOException, TimeoutException {
        return watched(factory.newConnection(name));
    }

    private Connection watched(Connection connection) {
        return proxy(Connection.class, connection, (method, values, result) -> {
            if (result instanceof Channel channel) {
                Seen seen = new Seen(channel);
                channel.addShutdownListener(signal -> seen.closings.add(String.valueOf(signal.getMessage())));
                return watched(channel, seen);
            }
            return result;
        });
    }

    private Channel watched(Channel channel, Seen seen) {
        return proxy(Channel.class, channel, (method, values, result) -> {
            if (method.equals("basicAck")) {
                seen.acknowledged((Long) values[0], (Boolean) values[1]);
            } else if (method.equals("basicConsume")) {
                seen.consumers.incrementAndGet();
            } else if (method.equals("basicCancel")) {
                seen.cancelled.incrementAndGet();
            } else if (method.equals("basicQos")) {
                if (!channels.contains(seen)) {
                    channels.add(seen);
                }
                if (values.length == 2) {
                    seen.limit = (Integer) values[0];
                } else {
                    seen.prefetch = (Integer) values[0];
                }
            }
            return result;
        });
    }

    /** What to make of the result of a call. */
    @FunctionalInterface
    interface After {
        Object of(String method, Object[] values, Object result);
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // A call without values has null for them, one without result, too.
    static <T> T proxy(Class<T> type, T target, After after) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
            try {
                return after.of(method.getName(), values, method.invoke(target, values));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }
}
