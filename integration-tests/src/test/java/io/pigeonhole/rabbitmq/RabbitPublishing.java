package io.pigeonhole.rabbitmq;

import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.MessageIds;
import io.pigeonhole.core.relay.Publisher;
import io.pigeonhole.testkit.contract.BrokerQueue;
import io.pigeonhole.testkit.contract.PublisherFixture;
import java.util.EnumSet;
import java.util.Set;

/** A publisher to a queue of an AMQP broker by the default exchange, which it comes to through a proxy. */
final class RabbitPublishing implements PublisherFixture {
    /** More than any frame. */
    private static final int TOO_LARGE = 1 << 20;

    private final AmqpBroker broker;
    private final BrokerQueue queue;
    private final RabbitPublisher publisher;
    private final RabbitPublisher unroutable;

    RabbitPublishing(AmqpBroker broker) {
        this.broker = broker;
        broker.forOneTest();
        this.queue = broker.queue();
        this.publisher = RabbitPublisher.of(broker.proxied(), "", queue.name());
        this.unroutable = RabbitPublisher.of(broker.proxied(), "", queue.name() + "-that-is-not-there");
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.complementOf(EnumSet.of(Ability.TOMBSTONES, Ability.REPEATED_HEADERS));
    }

    @Override
    public BrokerQueue queue() {
        return queue;
    }

    @Override
    public Publisher publisher() {
        return publisher;
    }

    @Override
    public Publisher unroutable() {
        return unroutable;
    }

    @Override
    public Message refusable() {
        return Message.builder("sent")
                .id(MessageIds.next())
                .type("note")
                .headers(Headers.none().with("large", new byte[TOO_LARGE]))
                .payload("x")
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
        unroutable.close();
        broker.close();
    }
}
