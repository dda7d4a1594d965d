/** The engine, what handlers and inboxes are, and what sources, stores and archives implement. */
@SuppressWarnings("module") // Our own sources and stores, which are compiled behind it.
module io.pigeonhole.core {
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.pigeonhole.core.admin;
    exports io.pigeonhole.core.archive;
    exports io.pigeonhole.core.failure;
    exports io.pigeonhole.core.handler;
    exports io.pigeonhole.core.idempotency;
    exports io.pigeonhole.core.inbox;
    exports io.pigeonhole.core.delivery;
    exports io.pigeonhole.core.message;
    exports io.pigeonhole.core.node;
    exports io.pigeonhole.core.outbox;
    exports io.pigeonhole.core.relay;
    exports io.pigeonhole.core.replay;
    exports io.pigeonhole.core.retry;
    exports io.pigeonhole.core.store;
    exports io.pigeonhole.core.time to
            io.pigeonhole.jdbc,
            io.pigeonhole.kafka,
            io.pigeonhole.rabbitmq,
            io.pigeonhole.sqs,
            io.pigeonhole.testkit;
}
