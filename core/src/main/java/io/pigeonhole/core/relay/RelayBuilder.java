package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.NodeName;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import java.util.Objects;

/** Collects the settings of a {@link Relay}. Not safe for use by many threads. */
public final class RelayBuilder {
    private static final int MOST_THREADS = Outbox.WORK_PARTITIONS;
    private static final int LARGEST_BATCH = 10_000;

    private final String destination;
    private final InboxStore<?> store;
    private final Publisher publisher;
    private RetryPolicy retry = RetryPolicy.standard();
    private KeyOrder order = KeyOrder.SKIP_DEAD_LETTERS;
    private int concurrency = 4;
    private int batchSize = 500;
    private long batchBytes = 8L << 20;
    private Duration publishTimeout = Duration.ofSeconds(30);

    RelayBuilder(String destination, InboxStore<?> store, Publisher publisher) {
        this.destination = OutboxMessage.to(destination).build().destination();
        this.store = Objects.requireNonNull(store, "store");
        this.publisher = Objects.requireNonNull(publisher, "publisher");
    }

    /**
     * Sets when a message that the broker refused is tried again, and when it is given up on.
     *
     * @param policy the policy, {@link RetryPolicy#standard} unless set
     * @return this
     */
    public RelayBuilder retry(RetryPolicy policy) {
        this.retry = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * Sets whether messages of one key are published in order, and what a dead letter does to its key. Fixed when the first relay of the
     * destination is built, as the order of a consumer is.
     *
     * @param of {@link KeyOrder#SKIP_DEAD_LETTERS} unless set; with {@link KeyOrder#NONE} all messages of a batch are sent at once
     * @return this
     */
    public RelayBuilder order(KeyOrder of) {
        this.order = Objects.requireNonNull(of, "order");
        return this;
    }

    /**
     * Sets how many work partitions are worked on at a time, each by a thread with a connection of the database, which it keeps
     * while the broker has not confirmed.
     *
     * @param threads from 1 to 4, 4 unless set
     * @return this
     */
    public RelayBuilder concurrency(int threads) {
        this.concurrency = threads;
        return this;
    }

    /**
     * Sets how many messages are read, published and deleted in one transaction, at most.
     *
     * @param messages from 1 to 10,000, 500 unless set
     * @return this
     */
    public RelayBuilder batchSize(int messages) {
        this.batchSize = messages;
        return this;
    }

    /**
     * Sets how many bytes these may have together; one message that has more is taken alone.
     *
     * @param bytes at least 1, 8 MiB unless set
     * @return this
     */
    public RelayBuilder batchBytes(long bytes) {
        this.batchBytes = bytes;
        return this;
    }

    /**
     * Sets how long the broker may take to confirm a batch. What is not confirmed by then is published again.
     *
     * @param timeout from 100 ms to 10 minutes, 30 s unless set
     * @return this
     */
    public RelayBuilder publishTimeout(Duration timeout) {
        this.publishTimeout = timeout;
        return this;
    }

    /**
     * Builds the relay, and registers its consumer in the store.
     *
     * @return a relay for {@link io.pigeonhole.core.node.NodeBuilder#relay}
     * @throws ConfigurationException if a setting is wrong, or the consumer was registered with another order
     * @throws io.pigeonhole.core.failure.PigeonholeException if the store cannot be reached
     */
    public Relay build() {
        require(
                concurrency >= 1 && concurrency <= MOST_THREADS,
                "concurrency " + concurrency + " is not from 1 to " + MOST_THREADS);
        require(
                batchSize >= 1 && batchSize <= LARGEST_BATCH,
                "batchSize " + batchSize + " is not from 1 to " + LARGEST_BATCH);
        require(batchBytes >= 1, "batchBytes " + batchBytes + " is below 1");
        require(
                publishTimeout.compareTo(Duration.ofMillis(100)) >= 0
                        && publishTimeout.compareTo(Duration.ofMinutes(10)) <= 0,
                "publishTimeout " + DurationText.of(publishTimeout) + " is not from 100 ms to 10 minutes");
        RegisteredConsumer consumer = store.register(new ConsumerRegistration(
                Outbox.CONSUMER_PREFIX + destination, IdForm.OPAQUE, order, Outbox.WORK_PARTITIONS));
        RelaySettings settings =
                new RelaySettings(NodeName.ofThisProcess(), retry, concurrency, batchSize, batchBytes, publishTimeout);
        BrokerCircuit circuit = new BrokerCircuit(
                "relay of '" + destination + "' to " + publisher.name(), publishTimeout, System::nanoTime);
        RelayCounts counts = new RelayCounts();
        RelayRun run =
                new RelayRun(store, consumer, destination, publisher, settings, circuit, counts, System::nanoTime);
        return new Relay(
                destination,
                concurrency,
                publisher,
                circuit,
                counts,
                new RelayInbox(store, consumer, destination, run, circuit, batchSize, System::nanoTime));
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ConfigurationException("relay of '" + destination + "': " + otherwise);
        }
    }
}
