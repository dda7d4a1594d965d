package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.message.Deduplication;
import java.util.Set;

/** A broker under test, and the means to disturb it. Made anew for each test; queues have names of their own. */
public interface BrokerFixture extends AutoCloseable {
    /** What not every broker can do. Tests that need what a broker cannot do are not run on it. */
    enum Ability {
        /** Messages of one ordering key come in the order of their sending. */
        ORDER_OF_KEYS,
        /** Ordering keys are any text; else they are letters, digits and hyphens. */
        ANY_KEY,
        /** Messages can come without an id, and then nothing distinguishes them. */
        NO_ID,
        /** Messages that a producer sends twice with one id are reported as duplicates. */
        DUPLICATES_OF_PRODUCERS,
        /** Messages can come without a payload, which is not the same as with an empty one. */
        TOMBSTONES,
        /** Payloads and values of headers are any bytes. */
        ANY_BYTES,
        /** Connections can be cut: {@link BrokerFixture#cut}. */
        CUT,
        /** Connections can be frozen: {@link BrokerFixture#freeze}. */
        FREEZE,
        /** The broker can be stopped and started again, and keeps what it was sent: {@link BrokerFixture#restart}. */
        RESTART
    }

    /**
     * What this broker can do.
     *
     * @return the same at every call
     */
    Set<Ability> abilities();

    /**
     * How the inboxes deduplicate that take messages from this broker.
     *
     * @return by ids, unless overridden for a broker that keeps a log
     */
    default Deduplication deduplication() {
        return Deduplication.IDS;
    }

    /**
     * Makes a queue, or what the broker has for one. It is removed when this fixture is closed.
     *
     * @return an empty one of a new name
     */
    BrokerQueue queue();

    /**
     * Cuts all connections of sources. New ones can be made at once.
     *
     * @throws UnsupportedOperationException unless overridden, which {@link Ability#CUT} promises
     */
    default void cut() {
        throw new UnsupportedOperationException("this broker has not said that it can do that");
    }

    /**
     * Lets nothing through the connections of sources any more, while they stay open.
     *
     * @throws UnsupportedOperationException unless overridden, which {@link Ability#FREEZE} promises
     */
    default void freeze() {
        throw new UnsupportedOperationException("this broker has not said that it can do that");
    }

    /**
     * Lets everything through again.
     *
     * @throws UnsupportedOperationException unless overridden, which {@link Ability#FREEZE} promises
     */
    default void thaw() {
        throw new UnsupportedOperationException("this broker has not said that it can do that");
    }

    /**
     * Stops the broker and starts it again. What it had received it still has.
     *
     * @throws UnsupportedOperationException unless overridden, which {@link Ability#RESTART} promises
     */
    default void restart() {
        throw new UnsupportedOperationException("this broker has not said that it can do that");
    }

    @Override
    void close();
}
