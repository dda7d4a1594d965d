package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.lane.Consignment;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One consumer on one channel, from its beginning until either of them ends. Delivery tags mean something on their channel
 * only: what is settled after the end is noted here, and nobody acknowledges it.
 *
 * <p>Deliveries come on threads of the client, one at a time; everything else is called by the loop.
 */
final class Subscription extends DefaultConsumer {
    private final String queue;
    private final DeliveryMapper mapper;
    private final Consignment consignment;
    private final Runnable wakeUp;
    private final Unacknowledged unacknowledged;
    private boolean withdrawn;
    private volatile @Nullable String end;
    private volatile @Nullable Throwable failure;

    private Subscription(
            Channel channel, String queue, DeliveryMapper mapper, Consignment consignment, Runnable wakeUp) {
        super(channel);
        this.queue = queue;
        this.mapper = mapper;
        this.consignment = consignment;
        this.wakeUp = wakeUp;
        this.unacknowledged = new Unacknowledged(wakeUp);
    }

    /** Begins to consume a queue, on a channel of its own. */
    static Subscription begin(
            Connection connection,
            String queue,
            ConsumeLoop.Settings settings,
            Consignment consignment,
            Runnable wakeUp)
            throws IOException {
        Channel channel = connection.createChannel();
        if (channel == null) {
            throw new IOException("the connection has no channel left");
        }
        Subscription subscription = new Subscription(channel, queue, settings.mapper(), consignment, wakeUp);
        try {
            channel.basicQos(settings.prefetch());
            channel.basicConsume(queue, false, subscription);
            return subscription;
        } catch (IOException | RuntimeException e) {
            // The broker has closed the channel, or nobody knows what it has done, and the connection is to be closed.
            subscription.withdraw();
            throw e;
        }
    }

    @Override
    public synchronized void handleDelivery(
            String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
        if (withdrawn || failure != null) {
            // Not acknowledged, it goes back to the queue when the channel is closed.
            return;
        }
        try {
            long tag = envelope.getDeliveryTag();
            Delivery delivery = new Delivery(envelope, properties, body);
            consignment.submit(mapper.map(queue, delivery), unacknowledged.add(tag));
        } catch (Throwable e) {
            failure = e;
            wakeUp.run();
        }
    }

    @Override
    public void handleCancel(String consumerTag) {
        end = "the broker cancelled the consumer, as when the queue is deleted";
        wakeUp.run();
    }

    @Override
    public void handleShutdownSignal(String consumerTag, ShutdownSignalException signal) {
        // First what needs no memory: an end that nobody notes is the end of consuming.
        end = "its channel was closed";
        try {
            end = Trouble.reason(signal);
        } finally {
            wakeUp.run();
        }
    }

    /** Why it ended by itself, or null while it goes on. */
    @Nullable
    String end() {
        return end;
    }

    /** What was thrown at a delivery, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Acknowledges what was settled since the last time. */
    void acknowledge() throws IOException {
        unacknowledged.acknowledge(getChannel()::basicAck);
    }

    /** Takes back what is not in work, and takes nothing more. */
    synchronized void withdraw() {
        withdrawn = true;
        consignment.withdraw();
    }

    /** Waits, after {@link #withdraw}, for what is in work; false if it still is after so long. */
    boolean awaitIdle(Duration patience) {
        return consignment.awaitIdle(patience);
    }

    /** Withdraws, and gives back to the queue what is not acknowledged. */
    void leave() {
        withdraw();
        try {
            getChannel().abort();
        } catch (IOException e) {
            // The channel is gone, which is what was wanted.
        }
    }
}
