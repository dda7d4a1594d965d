package io.pigeonhole.kafka;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.core.time.LongestDuration;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** Collects the settings of a {@link KafkaSource}. Not safe for use by many threads. */
public final class KafkaSourceBuilder {
    private static final int STANDARD_WINDOW = 50_000;

    private final Inbox<?> inbox;
    private final Map<String, Object> consumerConfig;
    private final List<String> topics;
    private String idHeader = "message-id";
    private String typeHeader = "message-type";
    private String contentTypeHeader = "content-type";
    private IdFallback idFallback = IdFallback.NONE;
    private UnaryOperator<String> sourceName = topic -> topic;
    private DeliverySettings delivery = DeliverySettings.standard();
    private int window = STANDARD_WINDOW;
    private Duration commitInterval = Duration.ofMillis(500);
    private Duration revocationTimeout = Duration.ofSeconds(10);
    private Duration closeTimeout = Duration.ofSeconds(10);
    private Function<Map<String, Object>, Consumer<byte[], byte[]>> consumerFactory = KafkaConsumer::new;

    KafkaSourceBuilder(Inbox<?> inbox, Map<String, Object> consumerConfig, List<String> topics) {
        this.inbox = inbox;
        this.consumerConfig = consumerConfig;
        this.topics = topics;
    }

    /**
     * Names the header that holds the id of a message. Its bytes are the id; an empty value is none.
     *
     * @param name the header, {@code message-id} unless set
     * @return this
     */
    public KafkaSourceBuilder idHeader(String name) {
        this.idHeader = name;
        return this;
    }

    /**
     * Names the header that holds the type of a message, as UTF-8.
     *
     * @param name the header, {@code message-type} unless set
     * @return this
     */
    public KafkaSourceBuilder typeHeader(String name) {
        this.typeHeader = name;
        return this;
    }

    /**
     * Names the header that holds the media type of the payload, as UTF-8.
     *
     * @param name the header, {@code content-type} unless set
     * @return this
     */
    public KafkaSourceBuilder contentTypeHeader(String name) {
        this.contentTypeHeader = name;
        return this;
    }

    /**
     * Says what a message without an id gets. An inbox that deduplicates by watermarks needs no id: there it is ignored.
     *
     * @param fallback what, {@link IdFallback#NONE} unless set
     * @return this
     */
    public KafkaSourceBuilder idFallback(IdFallback fallback) {
        this.idFallback = fallback;
        return this;
    }

    /**
     * Names the source of a topic's messages. It is part of their identity: a message that comes from two topics is one
     * message only where both have the same source name.
     *
     * @param ofTopic the source by topic, the topic's own name unless set; never blank, always the same for one topic. It is
     *     asked by {@link #build}, once for each topic
     * @return this
     */
    public KafkaSourceBuilder sourceName(UnaryOperator<String> ofTopic) {
        this.sourceName = ofTopic;
        return this;
    }

    /**
     * Sets how many delivery threads work in parallel, each with a connection while it works. Messages of one record key
     * share a delivery thread; those without a key share the delivery thread of their partition, as all do where the inbox deduplicates by
     * watermarks.
     *
     * @param count at least 1, 4 unless set
     * @return this
     */
    public KafkaSourceBuilder concurrency(int count) {
        this.delivery = delivery.concurrency(count);
        return this;
    }

    /**
     * Sets how many messages go into one transaction at most. A batch is what is there; nothing waits for it to fill.
     *
     * @param messages at least 1, 500 unless set
     * @return this
     */
    public KafkaSourceBuilder maxBatch(int messages) {
        this.delivery = delivery.maxBatch(messages);
        return this;
    }

    /**
     * Sets how much may be polled and unfinished before polling takes no more. The limits may be exceeded by what one poll
     * brings ({@code max.poll.records}, {@code fetch.max.bytes}).
     *
     * @param messages at least 1, 8,000 unless set
     * @param bytes of payloads, headers and ordering keys, at least 1, 64 MiB unless set
     * @return this
     */
    public KafkaSourceBuilder maxUnfinished(int messages, long bytes) {
        this.delivery = delivery.maxUnfinished(messages, bytes);
        return this;
    }

    /**
     * Sets how far a partition may run ahead of its oldest unfinished record, and so how many finished records a crash
     * brings back at most, as duplicates. A partition that is so far ahead is read no further until that record is finished; after a
     * minute it is a problem of the source.
     *
     * @param records at least 1, 50,000 unless set
     * @return this
     */
    public KafkaSourceBuilder window(int records) {
        this.window = records;
        return this;
    }

    /**
     * Sets how often offsets are committed to Kafka. They only save work after a crash; nothing is decided by them.
     *
     * @param interval from 0 to 365 days, 500 ms unless set
     * @return this
     */
    public KafkaSourceBuilder commitInterval(Duration interval) {
        this.commitInterval = interval;
        return this;
    }

    /**
     * Sets how long a rebalance is held up for the messages of revoked partitions that are in work. Afterwards they are
     * given up: whoever gets the partition is delivered them again, and the ledger decides.
     *
     * @param timeout not negative and below {@code max.poll.interval.ms}, 10 s unless set
     * @return this
     */
    public KafkaSourceBuilder revocationTimeout(Duration timeout) {
        this.revocationTimeout = timeout;
        return this;
    }

    /**
     * Sets how long closing waits for the messages in work.
     *
     * @param timeout from 0 to 365 days, 10 s unless set
     * @return this
     */
    public KafkaSourceBuilder closeTimeout(Duration timeout) {
        this.closeTimeout = timeout;
        return this;
    }

    /**
     * Replaces the making of the consumer, for instrumentation: a factory may wrap the consumer that it makes. It is called
     * with the complete configuration at the start, and again whenever the source gives a consumer up and begins with another
     * one; the earlier one is closed by then. All calls to a consumer come from one thread at a time.
     *
     * @param factory makes a new consumer at each call, {@code KafkaConsumer::new} unless set
     * @return this
     */
    public KafkaSourceBuilder consumerFactory(Function<Map<String, Object>, Consumer<byte[], byte[]>> factory) {
        this.consumerFactory = factory;
        return this;
    }

    /**
     * Checks the settings together and makes the source.
     *
     * @return a source, not started
     * @throws ConfigurationException if settings are wrong or contradict each other
     */
    public KafkaSource build() {
        return build(System::nanoTime);
    }

    /** With a clock in nanoseconds, by which errors are over and members are accepted. */
    KafkaSource build(LongSupplier clock) {
        require(
                !topics.isEmpty() && topics.stream().noneMatch(String::isBlank),
                "topics are " + topics + "; name at least one");
        require(window >= 1, "window is " + window + ", the least is 1");
        requireDuration("commitInterval", commitInterval);
        requireDuration("revocationTimeout", revocationTimeout);
        requireDuration("closeTimeout", closeTimeout);
        Map<String, String> sourceNames = sourceNames();
        LogStart logStart = null;
        Map<String, Object> config = new HashMap<>(consumerConfig);
        if (inbox.registered().deduplication().needsLog()) {
            logStart = LogStart.of(consumerConfig, inbox.consumer());
            config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
            requireOneTopicPerSource(sourceNames);
        }
        ConsumerSettings consumer = ConsumerSettings.of(config, inbox.consumer(), revocationTimeout);
        PollLoop.Settings loop = new PollLoop.Settings(
                "pigeonhole-kafka-" + inbox.consumer(),
                topics,
                new RecordMapper(sourceNames, idHeader, typeHeader, contentTypeHeader),
                window,
                (long) delivery.maxMessages() + consumer.maxPollRecords(),
                commitInterval,
                revocationTimeout,
                closeTimeout,
                clock);
        return new KafkaSource(inbox, consumer, consumerFactory, idFallback, delivery, loop, logStart);
    }

    /** Asked here, so that a function that throws ends no consumer later, and holds back no other topic. */
    private Map<String, String> sourceNames() {
        Map<String, String> names = new HashMap<>();
        for (String topic : topics) {
            String name = sourceNameOf(topic);
            require(
                    name != null && !name.isBlank(),
                    "sourceName is blank for topic '" + topic + "'; it is part of a message's identity");
            names.put(topic, name);
        }
        return Map.copyOf(names);
    }

    private String sourceNameOf(String topic) {
        try {
            return sourceName.apply(topic);
        } catch (RuntimeException e) {
            throw new ConfigurationException(
                    "Kafka source of inbox '" + inbox.consumer() + "': sourceName failed for topic '" + topic + "'", e);
        }
    }

    /** A watermark is known by its source. */
    private void requireOneTopicPerSource(Map<String, String> sourceNames) {
        Map<String, String> topicBySource = new HashMap<>();
        for (String topic : topics) {
            String source = Objects.requireNonNull(sourceNames.get(topic));
            String other = topicBySource.put(source, topic);
            require(
                    other == null || other.equals(topic),
                    "topics " + other + " and " + topic + " have the source name " + source
                            + "; with watermarks each needs a name of its own");
        }
    }

    private void requireDuration(String name, Duration value) {
        require(!value.isNegative(), name + " " + DurationText.of(value) + " is negative");
        LongestDuration.require("Kafka source of inbox '" + inbox.consumer() + "'", name, value);
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ConfigurationException("Kafka source of inbox '" + inbox.consumer() + "': " + otherwise);
        }
    }
}
