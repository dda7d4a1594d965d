package io.pigeonhole.core.relay;

import io.pigeonhole.core.inbox.NodeInbox;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import java.util.Optional;

/**
 * Publishes the messages of an outbox that have one destination. Any number of nodes may have a relay of one destination: at each
 * moment one of them has a work partition of it. A {@link io.pigeonhole.core.node.Node} runs it. Safe for use by many threads.
 *
 * <p>A message is published at least once, always with the same id: again where a process dies, or loses its database, between the broker's
 * confirmation and the commit that deletes the message. Messages of one key are published in the order in which they were appended, each
 * behind the confirmation of the one before.
 *
 * <p>A message that the broker refuses is moved to the work of the consumer {@link #consumer}, where it is retried as messages of an
 * inbox are, with attempts, dead letters, pause and everything that {@link io.pigeonhole.core.admin.Admin} can do; those behind it with its
 * key wait there. While the broker takes nothing, nothing is moved and no attempt counts.
 */
public final class Relay {
    private final String destination;
    private final int concurrency;
    private final Publisher publisher;
    private final BrokerCircuit circuit;
    private final RelayCounts counts;
    private final RelayInbox inbox;

    Relay(
            String destination,
            int concurrency,
            Publisher publisher,
            BrokerCircuit circuit,
            RelayCounts counts,
            RelayInbox inbox) {
        this.destination = destination;
        this.concurrency = concurrency;
        this.publisher = publisher;
        this.circuit = circuit;
        this.counts = counts;
        this.inbox = inbox;
    }

    /**
     * Begins a relay.
     *
     * @param destination which messages it publishes: those that were appended to this name
     * @param store where they are
     * @param publisher what publishes them; the caller closes it, behind the node
     * @return a builder with the standard settings
     * @throws IllegalArgumentException as {@link io.pigeonhole.core.outbox.OutboxMessage#to}
     */
    public static RelayBuilder builder(String destination, InboxStore<?> store, Publisher publisher) {
        return new RelayBuilder(destination, store, publisher);
    }

    /**
     * Which messages it publishes.
     *
     * @return the destination
     */
    public String destination() {
        return destination;
    }

    /**
     * The consumer that its refused messages belong to: what administrators look for.
     *
     * @return {@value Outbox#CONSUMER_PREFIX} and the destination
     */
    public String consumer() {
        return inbox.consumer();
    }

    /**
     * What the relay is called in logs and health reports.
     *
     * @return its destination and its publisher
     */
    public String name() {
        return "relay of '" + destination + "' to " + publisher.name();
    }

    /**
     * Why the broker takes nothing, as of the last attempt.
     *
     * @return empty while it takes messages, and before the first
     */
    public Optional<String> problem() {
        return Optional.ofNullable(circuit.problem());
    }

    /**
     * How many messages it has published and deleted since it was built.
     *
     * @return the count of this process
     */
    public long published() {
        return counts.published();
    }

    /**
     * How many attempts were refused since it was built, without those that made a dead letter.
     *
     * @return the count of this process
     */
    public long refused() {
        return counts.refused();
    }

    /**
     * How many messages it has made dead letters of since it was built.
     *
     * @return the count of this process
     */
    public long dead() {
        return counts.dead();
    }

    /**
     * How many of its work partitions are worked on at a time. For nodes.
     *
     * @return the number of threads
     */
    public int concurrency() {
        return concurrency;
    }

    /**
     * The relay as a node runs it. For nodes.
     *
     * @return what it works on
     */
    public NodeInbox forNodes() {
        return inbox;
    }

    /**
     * Where it has something to do. For nodes.
     *
     * @return what is due for {@link #forNodes}
     */
    public Backlog backlog() {
        return inbox;
    }
}
