package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publisher;
import java.util.Set;

/** A publisher under test, the queue that it publishes to, and the means to disturb both. Made anew for each test. */
public interface PublisherFixture extends AutoCloseable {
    /** What not every broker can do. Tests that need what a broker cannot do are not run on it, or expect a refusal. */
    enum Ability {
        /** Messages can have no payload, which is not the same as an empty one; else they are refused for good. */
        TOMBSTONES,
        /** Payloads can be empty; else such messages are refused for good. */
        EMPTY_PAYLOADS,
        /** A name can stand for several headers; else such messages are refused for good. */
        REPEATED_HEADERS,
        /** Messages can have no ordering key. */
        NO_KEY,
        /** Ordering keys are any bytes; else they are letters, digits and hyphens. */
        ANY_KEY,
        /** There is a destination that nothing takes messages from: {@link PublisherFixture#unroutable}. */
        UNROUTABLE
    }

    /**
     * What this broker can do.
     *
     * @return the same at every call
     */
    Set<Ability> abilities();

    /**
     * Where messages go that are published.
     *
     * @return the same queue at every call, empty at first
     */
    BrokerQueue queue();

    /**
     * The publisher under test.
     *
     * @return the same at every call, closed with this fixture
     */
    Publisher publisher();

    /**
     * A publisher whose messages nothing takes.
     *
     * @return another publisher, closed with this fixture
     * @throws UnsupportedOperationException unless overridden, which {@link Ability#UNROUTABLE} promises
     */
    default Publisher unroutable() {
        throw new UnsupportedOperationException("this broker has not said that it can do that");
    }

    /**
     * A message that the broker, or its client, always refuses, and none of the others.
     *
     * @return such as one that is too large
     */
    Message refusable();

    /** Cuts the publisher's connections, and lets it make no others. */
    void leave();

    /**
     * Lets nothing through the publisher's connections any more, while they stay open. What it has written to them by {@link #comeBack}
     * is lost.
     */
    void freeze();

    /** Lets the publisher connect, and everything through. */
    void comeBack();

    @Override
    void close();
}
