package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.embedded.EmbeddedAmqp;
import io.pigeonhole.network.ProxiedBroker;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.BrokerQueue;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A running AMQP broker for the contract of sources; sources come through a proxy, producers do not. */
public final class AmqpBroker extends ProxiedBroker {
    private static final AtomicInteger QUEUES = new AtomicInteger();

    private final ConnectionFactory direct;
    private final ConnectionFactory proxied;
    private final Map<String, Object> queueArguments;
    private final @Nullable Runnable restart;
    private @Nullable AmqpQueue queue;

    private AmqpBroker(int port, Map<String, Object> queueArguments, @Nullable Runnable restart) {
        super(port);
        this.direct = factory(port);
        this.proxied = factory(proxy.port());
        this.queueArguments = queueArguments;
        this.restart = restart;
    }

    /** A broker that cannot be restarted. */
    static AmqpBroker at(int port, Map<String, Object> queueArguments) {
        return new AmqpBroker(port, queueArguments, null);
    }

    /** One inside this JVM, for as long as it runs. */
    public static AmqpBroker embedded(Path directory) {
        return at(EmbeddedAmqp.start(directory).port(), AmqpQueue.CLASSIC);
    }

    /** A broker that is restarted on the same port, and keeps its messages. */
    static AmqpBroker at(int port, Map<String, Object> queueArguments, Runnable restart) {
        return new AmqpBroker(port, queueArguments, restart);
    }

    /** How to connect to a broker of this machine. */
    static ConnectionFactory factory(int port) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        return factory;
    }

    /** How publishers connect. */
    ConnectionFactory proxied() {
        return proxied;
    }

    /** For one test: its queues go, the broker stays. */
    public BrokerFixture forOneTest() {
        proxy.thaw();
        return this;
    }

    @Override
    public Set<Ability> abilities() {
        Set<Ability> abilities = EnumSet.complementOf(EnumSet.of(Ability.TOMBSTONES));
        if (restart == null) {
            abilities.remove(Ability.RESTART);
        }
        return abilities;
    }

    @Override
    public BrokerQueue queue() {
        AmqpQueue made = AmqpQueue.create(direct, "contract-" + QUEUES.incrementAndGet(), queueArguments);
        queue = made;
        return new Queue(made);
    }

    @Override
    public void restart() {
        if (restart == null) {
            throw new UnsupportedOperationException("this broker is not ours to restart, or would lose its messages");
        }
        restart.run();
    }

    @Override
    public void close() {
        proxy.thaw();
        if (queue != null) {
            queue.close();
        }
    }

    /** At the end of a class. */
    void stop() {
        proxy.close();
    }

    private final class Queue implements BrokerQueue {
        private final AmqpQueue queue;

        Queue(AmqpQueue queue) {
            this.queue = queue;
        }

        @Override
        public String name() {
            return queue.name();
        }

        @Override
        public void send(List<Message> messages) {
            queue.send(messages);
        }

        @Override
        public Source source(Inbox<?> inbox) {
            return RabbitSource.of(inbox, proxied, queue.name());
        }

        /** A consumer that the broker has not parted from counts too: what it did not acknowledge comes back with its end. */
        @Override
        public long left(String consumer) {
            return queue.readyAndConsumers();
        }
    }
}
