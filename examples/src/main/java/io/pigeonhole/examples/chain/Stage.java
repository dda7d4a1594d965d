package io.pigeonhole.examples.chain;

/** What is said about an order from service to service, and where: in Kafka, in RabbitMQ, in SQS. */
enum Stage {
    /** From orders to payments, by a topic of Kafka. */
    PLACED("order-placed"),
    /** From payments to shipping, by an exchange of RabbitMQ and a queue of the same name. */
    PAID("order-paid"),
    /** From shipping to orders, by a FIFO queue of SQS. */
    SHIPPED("order-shipped.fifo");

    /** How many partitions the topic has. */
    static final int PARTITIONS = 6;

    /** A second queue that gets what is paid, for the coordinator to look at. */
    static final String PAID_COPIES = "order-paid-copies";

    private final String place;

    Stage(String place) {
        this.place = place;
    }

    /** The topic, exchange or queue. */
    String place() {
        return place;
    }

    /** The destination of outboxes, which their relays are named by. */
    String destination() {
        return place;
    }

    /** The type of its messages. */
    String type() {
        return switch (this) {
            case PLACED -> "order.placed";
            case PAID -> "order.paid";
            case SHIPPED -> "order.shipped";
        };
    }
}
