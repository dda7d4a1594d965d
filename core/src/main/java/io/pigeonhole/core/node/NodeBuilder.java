package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.store.Maintenance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects what a {@link Node} is to run. Not safe for use by many threads. */
public final class NodeBuilder {
    private final Maintenance store;
    private final List<Source> sources = new ArrayList<>();
    private final Set<String> consumers = new HashSet<>();
    private Duration maintenanceInterval = Duration.ofHours(1);

    NodeBuilder(Maintenance store) {
        this.store = store;
    }

    /**
     * Adds an inbox that this node works for. Two of the same consumer are refused: one of them would find its messages
     * processed by the other, and lose them without a trace.
     *
     * @param inbox the inbox
     * @return this
     * @throws ConfigurationException if the node has an inbox of this consumer already
     */
    public NodeBuilder inbox(Inbox<?> inbox) {
        if (!consumers.add(inbox.consumer())) {
            throw new ConfigurationException("the node has two inboxes of the consumer '" + inbox.consumer()
                    + "'; give each its own name, or use one inbox for both sources");
        }
        return this;
    }

    /**
     * Adds a source.
     *
     * @param source not started; the node starts and closes it
     * @return this
     */
    public NodeBuilder source(Source source) {
        sources.add(source);
        return this;
    }

    /**
     * Sets how often the store is maintained.
     *
     * @param interval at least a second, an hour unless set; shortened at random by up to a fifth, so that nodes take turns
     * @return this
     */
    public NodeBuilder maintenanceInterval(Duration interval) {
        this.maintenanceInterval = interval;
        return this;
    }

    /**
     * Maintains the store once, then starts everything.
     *
     * @return the running node, to be closed by the caller
     * @throws ConfigurationException if a setting is wrong; what was started is closed
     * @throws io.pigeonhole.core.failure.PigeonholeException if the store cannot be maintained; nothing was started
     */
    public Node start() {
        if (maintenanceInterval.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new ConfigurationException("node: maintenanceInterval " + maintenanceInterval + " is below a second");
        }
        Node node = new Node(List.copyOf(sources), new Janitor(store, maintenanceInterval));
        node.start();
        return node;
    }
}
