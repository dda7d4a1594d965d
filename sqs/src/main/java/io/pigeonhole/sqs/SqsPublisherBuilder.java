package io.pigeonhole.sqs;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.services.sqs.SqsClient;

/** Collects the settings of an {@link SqsPublisher}. Not safe for use by many threads. */
public final class SqsPublisherBuilder {
    private static final int MOST_REQUESTS = 100;
    private static final int NAMES = 5;

    private final SqsClient client;
    private final String queue;
    private String idAttribute = "message-id";
    private String typeAttribute = "message-type";
    private String contentTypeAttribute = "content-type";
    private String contentEncodingAttribute = "content-encoding";
    private String orderingKeyAttribute = "ordering-key";
    private int requests = 8;

    SqsPublisherBuilder(SqsClient client, String queue) {
        this.client = client;
        this.queue = queue;
    }

    /**
     * Names the attribute that gets the id of a message.
     *
     * @param name the attribute, {@code message-id} unless set
     * @return this
     */
    public SqsPublisherBuilder idAttribute(String name) {
        this.idAttribute = name;
        return this;
    }

    /**
     * Names the attribute that gets the type of a message.
     *
     * @param name the attribute, {@code message-type} unless set
     * @return this
     */
    public SqsPublisherBuilder typeAttribute(String name) {
        this.typeAttribute = name;
        return this;
    }

    /**
     * Names the attribute that gets the media type of the payload.
     *
     * @param name the attribute, {@code content-type} unless set
     * @return this
     */
    public SqsPublisherBuilder contentTypeAttribute(String name) {
        this.contentTypeAttribute = name;
        return this;
    }

    /**
     * Names the attribute that says {@code base64} where the payload is no text that SQS takes, and is sent as base64.
     *
     * @param name the attribute, {@code content-encoding} unless set
     * @return this
     */
    public SqsPublisherBuilder contentEncodingAttribute(String name) {
        this.contentEncodingAttribute = name;
        return this;
    }

    /**
     * Names the attribute that gets the ordering key. It has no meaning on FIFO queues, where the message group is that key.
     *
     * @param name the attribute, {@code ordering-key} unless set
     * @return this
     */
    public SqsPublisherBuilder orderingKeyAttribute(String name) {
        this.orderingKeyAttribute = name;
        return this;
    }

    /**
     * Sets how many requests, of up to ten messages, are under way at a time, each on a thread with a connection of the client.
     *
     * @param count from 1 to 100, 8 unless set
     * @return this
     */
    public SqsPublisherBuilder requests(int count) {
        this.requests = count;
        return this;
    }

    /**
     * Checks the settings together and makes the publisher.
     *
     * @return a publisher that has not connected yet, to be closed by the caller behind the node
     * @throws ConfigurationException if settings are wrong or contradict each other
     */
    public SqsPublisher build() {
        String name = QueueUrl.nameIn(queue);
        if (name == null) {
            throw refused("queue is '" + queue + "'; give its name or its URL");
        }
        if (requests < 1 || requests > MOST_REQUESTS) {
            throw refused("requests is " + requests + ", which is not from 1 to " + MOST_REQUESTS);
        }
        Set<String> names = Stream.of(
                        idAttribute,
                        typeAttribute,
                        contentTypeAttribute,
                        contentEncodingAttribute,
                        orderingKeyAttribute)
                .collect(Collectors.toSet());
        if (names.size() < NAMES || names.stream().anyMatch(String::isBlank)) {
            throw refused("the names of the attributes are " + names + "; they have to be five, none of them blank");
        }
        MessageMapper.Attributes attributes = new MessageMapper.Attributes(
                idAttribute, typeAttribute, contentTypeAttribute, contentEncodingAttribute, orderingKeyAttribute);
        return new SqsPublisher(client, new QueueUrl(client, queue), new EntryMaker(name, attributes), requests);
    }

    private ConfigurationException refused(String why) {
        return new ConfigurationException("SQS publisher to queue '" + queue + "': " + why);
    }
}
