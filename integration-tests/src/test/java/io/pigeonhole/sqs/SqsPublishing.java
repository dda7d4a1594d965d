package io.pigeonhole.sqs;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.MessageIds;
import io.pigeonhole.core.relay.Publisher;
import io.pigeonhole.testkit.contract.BrokerQueue;
import io.pigeonhole.testkit.contract.PublisherFixture;
import java.util.EnumSet;
import java.util.Set;
import software.amazon.awssdk.services.sqs.SqsClient;

/** A publisher to a queue of the SQS of this JVM, which it comes to through a proxy. */
final class SqsPublishing implements PublisherFixture {
    private final SqsBroker broker;
    private final BrokerQueue queue;
    private final SqsClient client;
    private final SqsPublisher publisher;

    SqsPublishing(SqsBroker broker) {
        this.broker = broker;
        this.queue = broker.queue();
        this.client = broker.proxied();
        this.publisher = SqsPublisher.of(client, queue.name());
    }

    @Override
    public Set<Ability> abilities() {
        return broker.isFifo() ? EnumSet.noneOf(Ability.class) : EnumSet.of(Ability.NO_KEY, Ability.ANY_KEY);
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
    public Message refusable() {
        return Message.builder("sent")
                .id(MessageIds.next())
                .type("note")
                .orderingKey("key")
                .payload("x".repeat(EntryMaker.LARGEST))
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
        client.close();
        broker.close();
    }
}
