package io.pigeonhole.sqs;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.core.time.LongestDuration;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.sqs.SqsClient;

/** Collects the settings of an {@link SqsSource}. Not safe for use by many threads. */
public final class SqsSourceBuilder {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);
    private static final Duration LONGEST_HIDDEN = Duration.ofHours(12);
    private static final int MOST_POLLERS = 100;

    private final Inbox<?> inbox;
    private final SqsClient client;
    private final String queue;
    private String idAttribute = "message-id";
    private String typeAttribute = "message-type";
    private String contentTypeAttribute = "content-type";
    private String contentEncodingAttribute = "content-encoding";
    private String orderingKeyAttribute = "ordering-key";
    private IdFallback idFallback = IdFallback.NONE;
    private @Nullable String sourceName;
    private DeliverySettings delivery = DeliverySettings.standard().maxUnfinished(2_000, 64L << 20);
    private int pollers = 2;
    private Duration waitTime = LONGEST_WAIT;
    private Duration visibilityTimeout = Duration.ofSeconds(30);
    private Duration longestHold = LONGEST_HIDDEN;
    private Duration closeTimeout = Duration.ofSeconds(10);

    SqsSourceBuilder(Inbox<?> inbox, SqsClient client, String queue) {
        this.inbox = inbox;
        this.client = client;
        this.queue = queue;
    }

    /**
     * Names the attribute that holds the id of a message. Its bytes, or those of its text, are the id.
     *
     * @param name the attribute, {@code message-id} unless set
     * @return this
     */
    public SqsSourceBuilder idAttribute(String name) {
        this.idAttribute = name;
        return this;
    }

    /**
     * Names the attribute that holds the type of a message.
     *
     * @param name the attribute, {@code message-type} unless set
     * @return this
     */
    public SqsSourceBuilder typeAttribute(String name) {
        this.typeAttribute = name;
        return this;
    }

    /**
     * Names the attribute that holds the media type of the payload.
     *
     * @param name the attribute, {@code content-type} unless set
     * @return this
     */
    public SqsSourceBuilder contentTypeAttribute(String name) {
        this.contentTypeAttribute = name;
        return this;
    }

    /**
     * Names the attribute that says {@code base64} where the body is base64 of the payload: bodies are text, payloads may be
     * any bytes. Another value, such as {@code gzip}, has no meaning here.
     *
     * @param name the attribute, {@code content-encoding} unless set
     * @return this
     */
    public SqsSourceBuilder contentEncodingAttribute(String name) {
        this.contentEncodingAttribute = name;
        return this;
    }

    /**
     * Names the attribute that holds the key within which messages go to one thread. It has no meaning on FIFO queues, where the
     * message group is that key. SQS promises no order but theirs.
     *
     * @param name the attribute, {@code ordering-key} unless set
     * @return this
     */
    public SqsSourceBuilder orderingKeyAttribute(String name) {
        this.orderingKeyAttribute = name;
        return this;
    }

    /**
     * Says what a message without an id gets.
     *
     * @param fallback what, {@link IdFallback#NONE} unless set
     * @return this
     */
    public SqsSourceBuilder idFallback(IdFallback fallback) {
        this.idFallback = fallback;
        return this;
    }

    /**
     * Names the source of the messages. It is part of their identity: a message that comes from two queues, such as a queue
     * and its dead-letter queue, is one message only where both have the same source name.
     *
     * @param name the source, the queue's own name unless set; not blank
     * @return this
     */
    public SqsSourceBuilder sourceName(String name) {
        this.sourceName = name;
        return this;
    }

    /**
     * Sets how many delivery threads work in parallel, each with a connection while it works to the database. Messages of
     * one ordering key go to one thread.
     *
     * @param count at least 1, 4 unless set
     * @return this
     */
    public SqsSourceBuilder concurrency(int count) {
        this.delivery = delivery.concurrency(count);
        return this;
    }

    /**
     * Sets how many messages go into one transaction at most, of one receive or of many. A batch is what is there; nothing
     * waits for it to fill.
     *
     * @param messages at least 1, 500 unless set
     * @return this
     */
    public SqsSourceBuilder maxBatch(int messages) {
        this.delivery = delivery.maxBatch(messages);
        return this;
    }

    /**
     * Sets how much may be received and unfinished before nothing more is received. The limits may be exceeded by ten
     * messages a poller. Everything unfinished is kept hidden by a call for each ten at every third of the visibility
     * timeout, and SQS allows 120,000 messages of a queue in flight.
     *
     * @param messages at least 1, 2,000 unless set
     * @param bytes of payloads and headers, at least 1, 64 MiB unless set
     * @return this
     */
    public SqsSourceBuilder maxUnfinished(int messages, long bytes) {
        this.delivery = delivery.maxUnfinished(messages, bytes);
        return this;
    }

    /**
     * Sets how many threads ask for messages, ten at a time; as many delete those that are settled.
     *
     * @param count from 1 to 100, 2 unless set
     * @return this
     */
    public SqsSourceBuilder pollers(int count) {
        this.pollers = count;
        return this;
    }

    /**
     * Sets how long SQS waits for a message before it answers that there is none. Shorter waits cost more calls.
     *
     * @param time whole seconds from 0 to 20, 20 s unless set
     * @return this
     */
    public SqsSourceBuilder waitTime(Duration time) {
        this.waitTime = time;
        return this;
    }

    /**
     * Sets how long a message that was received stays hidden from others when nobody prolongs it, and so how long after the
     * crash of a process its messages come back. The queue's own visibility timeout is not used.
     *
     * @param timeout whole seconds from 1 to 12 hours, 30 s unless set
     * @return this
     */
    public SqsSourceBuilder visibilityTimeout(Duration timeout) {
        this.visibilityTimeout = timeout;
        return this;
    }

    /**
     * Sets how long an unfinished message is kept hidden from others at most. When it is over, the message is worked on all
     * the same, and whoever is given it as well finds a duplicate.
     *
     * @param duration at least the visibility timeout, 12 hours unless set, which is as long as SQS allows
     * @return this
     */
    public SqsSourceBuilder longestHold(Duration duration) {
        this.longestHold = duration;
        return this;
    }

    /**
     * Sets how long closing waits for the messages in work.
     *
     * @param timeout from 0 to 365 days, 10 s unless set
     * @return this
     */
    public SqsSourceBuilder closeTimeout(Duration timeout) {
        this.closeTimeout = timeout;
        return this;
    }

    /**
     * Checks the settings together and makes the source.
     *
     * @return a source, not started
     * @throws ConfigurationException if settings are wrong or contradict each other
     */
    public SqsSource build() {
        return build(System::nanoTime);
    }

    /** With a clock of nanoseconds. */
    SqsSource build(LongSupplier clock) {
        require(
                !inbox.registered().deduplication().needsLog(),
                "the inbox deduplicates by " + inbox.registered().deduplication()
                        + ", which needs a log; SQS keeps none." + " Deduplicate by IDS");
        String name = QueueUrl.nameIn(queue);
        if (name == null) {
            throw refused("queue is '" + queue + "'; give its name or its URL");
        }
        String source = sourceName == null ? name : sourceName;
        require(!source.isBlank(), "sourceName is blank; it is part of the identity of messages");
        require(
                pollers >= 1 && pollers <= MOST_POLLERS,
                "pollers is " + pollers + ", which is not from 1 to " + MOST_POLLERS);
        requireSeconds("waitTime", waitTime, Duration.ZERO, LONGEST_WAIT);
        requireSeconds("visibilityTimeout", visibilityTimeout, Duration.ofSeconds(1), LONGEST_HIDDEN);
        requireSeconds("longestHold", longestHold, visibilityTimeout, LONGEST_HIDDEN);
        require(!closeTimeout.isNegative(), "closeTimeout " + DurationText.of(closeTimeout) + " is negative");
        LongestDuration.require("SQS source of inbox '" + inbox.consumer() + "'", "closeTimeout", closeTimeout);
        MessageMapper.Attributes attributes = new MessageMapper.Attributes(
                idAttribute, typeAttribute, contentTypeAttribute, contentEncodingAttribute, orderingKeyAttribute);
        SqsSource.Settings settings = new SqsSource.Settings(
                "pigeonhole-sqs-" + inbox.consumer(),
                new MessageMapper(name, source, attributes, idFallback),
                delivery,
                pollers,
                visibilityTimeout,
                longestHold,
                closeTimeout);
        return new SqsSource(inbox, new SqsQueue(client, queue, visibilityTimeout, waitTime), settings, clock);
    }

    private void requireSeconds(String name, Duration value, Duration least, Duration most) {
        require(
                value.equals(Duration.ofSeconds(value.toSeconds()))
                        && value.compareTo(least) >= 0
                        && value.compareTo(most) <= 0,
                name + " is " + DurationText.of(value) + ", which is not a number of whole seconds from "
                        + least.toSeconds() + " to " + most.toSeconds());
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw refused(otherwise);
        }
    }

    private ConfigurationException refused(String why) {
        return new ConfigurationException("SQS source of inbox '" + inbox.consumer() + "': " + why);
    }
}
