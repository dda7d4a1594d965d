package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.RedeliveryWindow;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.core.time.LongestDuration;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link RabbitSource}. Not safe for use by many threads. */
public final class RabbitSourceBuilder {
    /** The protocol has 16 bits for it, and 0 means no limit. */
    private static final int MOST_PREFETCHED = 65_535;

    /** After so long without an answer to a request the source says so. */
    private static final int LONGEST_ANSWER_MILLIS = 10_000;

    private final Inbox<?> inbox;
    private final ConnectionFactory connectionFactory;
    private final List<String> queues;
    private @Nullable String idHeader;
    private String typeHeader = "message-type";
    private @Nullable String orderingKeyHeader = "ordering-key";
    private Function<Delivery, byte @Nullable []> orderingKey = header("ordering-key");
    private UnaryOperator<String> sourceName = queue -> queue;
    private RedeliveryWindow redeliveryWindow = RedeliveryWindow.unknown(
            "RabbitMQ does not report a queue's x-message-ttl (messageTtl of the source's builder)");
    private DeliverySettings delivery = DeliverySettings.standard();
    private int prefetch = 500;
    private Duration retryPause = Duration.ofSeconds(1);
    private Duration closeTimeout = Duration.ofSeconds(10);
    private Duration renewAfter = Duration.ofMinutes(1);
    private Duration standstill = Duration.ofMinutes(1);
    private ConnectionOpener connectionOpener = ConnectionFactory::newConnection;

    RabbitSourceBuilder(Inbox<?> inbox, ConnectionFactory connectionFactory, List<String> queues) {
        this.inbox = inbox;
        this.connectionFactory = connectionFactory;
        this.queues = queues;
    }

    /**
     * Takes the id of a message from a header instead of the property {@code message-id}. The bytes of its value are the id,
     * so that ids that are no text have to be in a header; an empty value is none.
     *
     * <p>It cannot be one of the eight {@code amqp-…} headers that the source itself sets, see {@code docs/rabbitmq.md}.
     *
     * <p>There is no way to take the delivery tag: it is a number of the channel, begins anew with each channel, and is
     * another one at each redelivery.
     *
     * @param name the header
     * @return this
     */
    public RabbitSourceBuilder idHeader(String name) {
        this.idHeader = name;
        return this;
    }

    /**
     * Names the header that holds the type of a message, as UTF-8, where the property {@code type} is absent or empty.
     *
     * @param name the header, {@code message-type} unless set; none of those that the source itself sets
     * @return this
     */
    public RabbitSourceBuilder typeHeader(String name) {
        this.typeHeader = name;
        return this;
    }

    /**
     * Names the header that holds the key within which messages keep their order. Replaces {@link #orderingKey}.
     *
     * @param name the header, {@code ordering-key} unless set; none of those that the source itself sets
     * @return this
     */
    public RabbitSourceBuilder orderingKeyHeader(String name) {
        this.orderingKeyHeader = name;
        this.orderingKey = header(name);
        return this;
    }

    /**
     * Finds the key within which messages keep their order, such as the routing key. Replaces {@link #orderingKeyHeader}.
     *
     * @param ofDelivery the bytes of the key, or null for none; always the same for one message. May be called by several
     *     threads at a time, one for each queue. Where it throws, the queue is begun anew; after five retries in a row without a
     *     message settled the queue is given up, with the exception in {@link RabbitSource#failure()}
     * @return this
     */
    public RabbitSourceBuilder orderingKey(Function<Delivery, byte @Nullable []> ofDelivery) {
        this.orderingKeyHeader = null;
        this.orderingKey = ofDelivery;
        return this;
    }

    /**
     * Names the source of a queue's messages. It is part of their identity: a message that comes from two queues is one
     * message only where both have the same source name.
     *
     * @param ofQueue the source by queue, the queue's own name unless set; never blank
     * @return this
     */
    public RabbitSourceBuilder sourceName(UnaryOperator<String> ofQueue) {
        this.sourceName = ofQueue;
        return this;
    }

    /**
     * Sets for how long the queues keep a message, their {@code x-message-ttl}: the broker does not report it to consumers. The
     * node's window guard compares it with the store's window. Where a policy or the queue's declaration sets none, leave it.
     *
     * @param ttl the longest of the queues
     * @return this
     */
    public RabbitSourceBuilder messageTtl(Duration ttl) {
        this.redeliveryWindow = RedeliveryWindow.of(ttl, "queues " + queues + " (x-message-ttl)");
        return this;
    }

    /**
     * Sets how many delivery threads work in parallel, each with a connection while it works to the database. Messages of
     * one ordering key go to one thread; those without a key are spread over all.
     *
     * @param count at least 1, 4 unless set
     * @return this
     */
    public RabbitSourceBuilder concurrency(int count) {
        this.delivery = delivery.concurrency(count);
        return this;
    }

    /**
     * Sets how many messages go into one transaction at most. A batch is what is there; nothing waits for it to fill.
     *
     * @param messages at least 1, 500 unless set
     * @return this
     */
    public RabbitSourceBuilder maxBatch(int messages) {
        this.delivery = delivery.maxBatch(messages);
        return this;
    }

    /**
     * Sets how many messages of each queue may be delivered and not acknowledged. It is the only limit that the broker
     * knows: the source holds up to so many messages in memory, however large they are. It begins with one, and
     * takes eight times as many each time that so many are settled.
     *
     * @param messages from 1 to 65,535, 500 unless set
     * @return this
     */
    public RabbitSourceBuilder prefetch(int messages) {
        this.prefetch = messages;
        return this;
    }

    /**
     * Sets how long to wait before connecting or consuming again after it failed. Where that fails again and again, or achieves
     * nothing, the pause is doubled each time, up to a minute.
     *
     * @param pause above 0, up to 365 days, 1 s unless set; before connecting it is shortened at random by up to a half
     * @return this
     */
    public RabbitSourceBuilder retryPause(Duration pause) {
        this.retryPause = pause;
        return this;
    }

    /**
     * Sets how long closing waits for the messages in work.
     *
     * @param timeout from 0 to 365 days, 10 s unless set
     * @return this
     */
    public RabbitSourceBuilder closeTimeout(Duration timeout) {
        this.closeTimeout = timeout;
        return this;
    }

    /**
     * Replaces the opening of connections, for the nodes of a cluster and for instrumentation.
     *
     * @param opener opens a connection, {@code ConnectionFactory::newConnection} unless set
     * @return this
     */
    public RabbitSourceBuilder connectionOpener(ConnectionOpener opener) {
        this.connectionOpener = opener;
        return this;
    }

    /**
     * Checks the settings together and makes the source.
     *
     * @return a source, not started
     * @throws ConfigurationException if settings are wrong or contradict each other
     */
    public RabbitSource build() {
        require(
                !inbox.registered().deduplication().needsLog(),
                "the inbox deduplicates by " + inbox.registered().deduplication()
                        + ", which needs a log; RabbitMQ keeps none." + " Deduplicate by IDS");
        require(
                !queues.isEmpty()
                        && queues.stream().noneMatch(String::isBlank)
                        && new HashSet<>(queues).size() == queues.size(),
                "queues are " + queues + "; name at least one, and each once");
        require(
                prefetch >= 1 && prefetch <= MOST_PREFETCHED,
                "prefetch is " + prefetch + ", it has to be from 1 to " + MOST_PREFETCHED);
        require(
                retryPause.compareTo(Duration.ZERO) > 0,
                "retryPause " + DurationText.of(retryPause) + " is not above 0");
        require(!closeTimeout.isNegative(), "closeTimeout " + DurationText.of(closeTimeout) + " is negative");
        LongestDuration.require("RabbitMQ source of inbox '" + inbox.consumer() + "'", "retryPause", retryPause);
        LongestDuration.require("RabbitMQ source of inbox '" + inbox.consumer() + "'", "closeTimeout", closeTimeout);
        requireSent("idHeader", idHeader);
        requireSent("typeHeader", typeHeader);
        requireSent("orderingKeyHeader", orderingKeyHeader);
        Map<String, String> sourceNames = new HashMap<>();
        for (String queue : queues) {
            String name = sourceName.apply(queue);
            require(
                    !name.isBlank(),
                    "sourceName is blank for queue '" + queue + "'; it is part of a message's identity");
            sourceNames.put(queue, name);
        }
        SourceSettings settings = new SourceSettings(
                "pigeonhole-rabbitmq-" + inbox.consumer(),
                ConnectionFactories.withoutRecovery(connectionFactory),
                connectionOpener,
                queues,
                new DeliveryMapper(Map.copyOf(sourceNames), idHeader, typeHeader, orderingKey),
                prefetch,
                retryPause,
                closeTimeout,
                answerTimeout(),
                renewAfter,
                standstill);
        return new RabbitSource(inbox, delivery, settings, redeliveryWindow);
    }

    /** For how long nothing has to be finished of all that may be unfinished before it is a problem. */
    RabbitSourceBuilder standstill(Duration time) {
        standstill = time;
        return this;
    }

    /** For how long nothing has to come, although messages wait, before the queue is consumed anew, the first time. */
    RabbitSourceBuilder renewAfter(Duration idle) {
        renewAfter = idle;
        return this;
    }

    private Duration answerTimeout() {
        int answer = connectionFactory.getChannelRpcTimeout();
        return Duration.ofMillis(answer == 0 ? LONGEST_ANSWER_MILLIS : Math.min(answer, LONGEST_ANSWER_MILLIS));
    }

    private static Function<Delivery, byte @Nullable []> header(String name) {
        return delivery -> {
            Map<String, Object> headers = delivery.getProperties().getHeaders();
            return headers == null ? null : FieldText.bytesOf(headers.get(name));
        };
    }

    /** The source itself sets the other ones, and gives those that a sender named like them another name. */
    private void requireSent(String setting, @Nullable String header) {
        require(header == null || !header.isBlank(), setting + " is blank; name a header that senders set");
        require(
                header == null || !DeliveryMapper.isOurs(header),
                setting + " is '" + header
                        + "', which only this source sets; such a header of a sender is called 'sent-" + header
                        + "' in the message. Name another one");
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ConfigurationException("RabbitMQ source of inbox '" + inbox.consumer() + "': " + otherwise);
        }
    }
}
