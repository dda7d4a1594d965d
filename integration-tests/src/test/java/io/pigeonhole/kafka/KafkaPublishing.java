package io.pigeonhole.kafka;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.MessageIds;
import io.pigeonhole.core.relay.Publisher;
import io.pigeonhole.testkit.contract.BrokerQueue;
import io.pigeonhole.testkit.contract.PublisherFixture;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** A publisher to a topic of a Kafka inside this JVM, which it comes to through a proxy. */
final class KafkaPublishing implements PublisherFixture {
    /** More than the client sends in one request. */
    private static final int TOO_LARGE = 2 << 20;

    private final KafkaBroker broker;
    private final BrokerQueue topic;
    private final KafkaPublisher publisher;

    KafkaPublishing(KafkaBroker broker) {
        this.broker = broker;
        broker.forOneTest();
        this.topic = broker.queue();
        this.publisher = KafkaPublisher.of(
                Map.of("bootstrap.servers", broker.proxied(), "reconnect.backoff.max.ms", 200), topic.name());
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.complementOf(EnumSet.of(Ability.UNROUTABLE));
    }

    @Override
    public BrokerQueue queue() {
        return topic;
    }

    @Override
    public Publisher publisher() {
        return publisher;
    }

    @Override
    public Message refusable() {
        return Message.builder("sent")
                .id(MessageIds.next())
                .type("note")
                .payload(new byte[TOO_LARGE])
                .build();
    }

    @Override
    public void leave() {
        broker.leave();
    }

    @Override
    public void freeze() {
        broker.freeze();
    }

    @Override
    public void comeBack() {
        broker.comeBack();
    }

    @Override
    public void close() {
        publisher.close();
        broker.close();
    }
}
