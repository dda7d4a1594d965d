package io.pigeonhole.examples.demo;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Source;
import java.util.Locale;

/** The brokers that the demonstration knows. */
enum BrokerKind {
    KAFKA("Kafka") {
        @Override
        Broker start(Workplace place) {
            return KafkaBroker.start(place.broker());
        }

        @Override
        Source source(Inbox<?> inbox, ConsumerSettings settings) {
            return KafkaBroker.source(inbox, settings);
        }
    },
    RABBITMQ("AMQP (RabbitMQ's protocol)") {
        @Override
        Broker start(Workplace place) {
            return RabbitBroker.start(place.broker());
        }

        @Override
        Source source(Inbox<?> inbox, ConsumerSettings settings) {
            return RabbitBroker.source(inbox, settings);
        }
    },
    SQS("SQS") {
        @Override
        Broker start(Workplace place) {
            return SqsBroker.start();
        }

        @Override
        Source source(Inbox<?> inbox, ConsumerSettings settings) {
            return SqsBroker.source(inbox, settings);
        }
    };

    private final String product;

    BrokerKind(String product) {
        this.product = product;
    }

    /** What people call it. */
    String product() {
        return product;
    }

    /** Starts one, with the queue that the producers send to. */
    abstract Broker start(Workplace place);

    /** For the consumer's process: a source that writes each delivery into the log of deliveries. */
    abstract Source source(Inbox<?> inbox, ConsumerSettings settings);

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
