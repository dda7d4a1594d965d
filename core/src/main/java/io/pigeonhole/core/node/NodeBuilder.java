package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.NodeInbox;
import io.pigeonhole.core.inbox.UnknownType;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Maintenance;
import io.pigeonhole.core.store.Retention;
import io.pigeonhole.core.store.RetentionClock;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.core.time.LongestDuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects what a {@link Node} is to run. Not safe for use by many threads. */
public final class NodeBuilder {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Logger log = LoggerFactory.getLogger(NodeBuilder.class);
    private static final int MOST_THREADS = 10_000;

    private final Maintenance store;
    private final Retention retention;
    private final Backlog backlog;
    private final @Nullable InboxStore<?> storeOfInboxes;
    private final List<Source> sources = new ArrayList<>();
    private final Map<String, Inbox<?>> inboxes = new LinkedHashMap<>();
    private final Map<String, Relay> relays = new LinkedHashMap<>();
    private Duration maintenanceInterval = HOUR;
    private int workers = 2;
    private int leaseWorkers = 8;
    private Duration pollInterval = Duration.ofSeconds(2);
    private WindowGuard windowGuard = WindowGuard.WARN;
    private MaintenanceListener maintenanceListener = new MaintenanceListener() {};
    private boolean built;

    /** For a store that deletes nothing, and inboxes of any other. */
    NodeBuilder(Maintenance store, Backlog backlog) {
        this(store, new NothingDeleted(), backlog);
    }

    NodeBuilder(Maintenance store, Retention retention, Backlog backlog) {
        this(store, retention, backlog, null);
    }

    NodeBuilder(InboxStore<?> store) {
        this(store, store, store, store);
    }

    private NodeBuilder(
            Maintenance store, Retention retention, Backlog backlog, @Nullable InboxStore<?> storeOfInboxes) {
        this.store = store;
        this.retention = retention;
        this.backlog = backlog;
        this.storeOfInboxes = storeOfInboxes;
    }

    /**
     * Adds an inbox that has no source here: the node works on its retries, its leases and what it has stored. Two of the
     * same consumer are refused: one of them would find its messages processed by the other, and lose them without a trace. The
     * store has to be the very object that the node was built with: whether two of them are of one database and schema cannot
     * be known for sure, since a copy of a database, such as a test system's, says of itself what the original says.
     *
     * @param inbox the inbox; adding the same one again changes nothing
     * @return this
     * @throws ConfigurationException if the node has another inbox of this consumer, or the inbox was built with another
     *     store than the node
     */
    public NodeBuilder inbox(Inbox<?> inbox) {
        require(
                storeOfInboxes == null || inbox.forNodes().isOf(storeOfInboxes),
                "the inbox '" + inbox.consumer()
                        + "' was built with another store than the node, which would never work on"
                        + " what that store has. Two objects are two stores here, also where both are of one database:"
                        + " build the inbox and the node with the same object, or each store's inboxes into a node of its own");
        Inbox<?> known = inboxes.putIfAbsent(inbox.consumer(), inbox);
        if (known != null && known != inbox) {
            throw new ConfigurationException("the node has two inboxes of the consumer '" + inbox.consumer()
                    + "'; give each its own name, or use one inbox for both sources");
        }
        return this;
    }

    /**
     * Adds a source, and its inbox.
     *
     * @param source not started; the node starts and closes it
     * @return this
     * @throws ConfigurationException as {@link #inbox}, and if the inbox has no handler at all: each message would be a dead letter. Where it
     *     {@linkplain io.pigeonhole.core.inbox.UnknownType#IGNORE ignores} what has none, a warning is logged
     */
    public NodeBuilder source(Source source) {
        inbox(source.inbox());
        NodeInbox inbox = source.inbox().forNodes();
        boolean ignores = inbox.unknownType() == UnknownType.IGNORE;
        require(
                inbox.hasHandlers() || ignores,
                "the inbox '" + inbox.consumer() + "' of " + source.name()
                        + " has no handler: each message would be a dead letter. Give it one: InboxBuilder.handle, or handleOther for"
                        + " messages of every type");
        if (!inbox.hasHandlers()) {
            log.warn(
                    "the inbox '{}' of {} has no handler and ignores types without one: each message is acknowledged, and nothing is"
                            + " done",
                    inbox.consumer(),
                    source.name());
        }
        sources.add(source);
        return this;
    }

    /**
     * Adds a relay: the node publishes the messages of its destination. Each relay has threads of its own, so that a slow broker holds up no
     * other; they do not count as {@link #workers}.
     *
     * @param relay the relay; adding the same one again changes nothing
     * @return this
     * @throws ConfigurationException if the node has another relay of this destination, or the relay was built with another store than
     *     the node
     */
    public NodeBuilder relay(Relay relay) {
        require(
                storeOfInboxes == null || relay.forNodes().isOf(storeOfInboxes),
                relay.name() + " was built with another store than the node: build both with the same object");
        Relay known = relays.putIfAbsent(relay.destination(), relay);
        require(
                known == null || known == relay,
                "two relays of the destination '" + relay.destination() + "'; one publishes all that there is");
        return this;
    }

    /**
     * Sets how often the store is maintained.
     *
     * @param interval from a second to an eighth of the store's window, but to 2 hours at least and 12 hours at most: with more, ages
     *     would not catch up as they should after an outage ({@link RetentionClock}). And to half of what one maintenance is enough for
     *     ({@link Maintenance#preparedFor}). An hour unless set, which is always allowed; shortened at random by up to a fifth, so
     *     that nodes take turns
     * @return this
     */
    public NodeBuilder maintenanceInterval(Duration interval) {
        this.maintenanceInterval = interval;
        return this;
    }

    /**
     * Sets how many threads work on what is due, each with a connection while it works.
     *
     * @param threads from 0, which leaves all that work to other nodes, to 10,000; 2 unless set
     * @return this
     */
    public NodeBuilder workers(int threads) {
        this.workers = threads;
        return this;
    }

    /**
     * Sets how many threads work on messages under leases, such as those of external handlers.
     *
     * @param threads from 1 to 10,000; 8 unless set. None is started where there are no workers at all
     * @return this
     */
    public NodeBuilder leaseWorkers(int threads) {
        this.leaseWorkers = threads;
        return this;
    }

    /**
     * Sets how often at least the node looks for work that others have stored. It looks more often while there is some, and
     * at once when its own inboxes store some.
     *
     * @param interval from 50 ms to a minute, 2 s unless set
     * @return this
     */
    public NodeBuilder pollInterval(Duration interval) {
        this.pollInterval = interval;
        return this;
    }

    /**
     * Sets what the node does where a broker may deliver a message again after the store has deleted its key.
     *
     * @param guard what to do, {@link WindowGuard#WARN} unless set
     * @return this
     */
    public NodeBuilder windowGuard(WindowGuard guard) {
        this.windowGuard = guard;
        return this;
    }

    /**
     * Sets the listener for what the maintenance does.
     *
     * @param listener the listener, none unless set
     * @return this
     */
    public NodeBuilder maintenanceListener(MaintenanceListener listener) {
        this.maintenanceListener = listener;
        return this;
    }

    /**
     * Builds the node and starts it.
     *
     * @return the running node, to be closed by the caller
     * @throws ConfigurationException as {@link #build} and {@link Node#start}; what was started is closed
     * @throws io.pigeonhole.core.failure.PigeonholeException if the store cannot be maintained; nothing was started
     */
    public Node start() {
        Node node = build();
        node.start();
        return node;
    }

    /**
     * Builds the node, without asking any database or broker. For frameworks, which start it later; all others call {@link #start}.
     *
     * @return a node that is not started
     * @throws ConfigurationException if a setting is wrong
     * @throws IllegalStateException if a node with these sources was built before: it would close them
     */
    public Node build() {
        if (built && !sources.isEmpty()) {
            throw new IllegalStateException(
                    "a node was built with these sources before; begin another builder, with new sources");
        }
        require(
                maintenanceInterval.compareTo(Duration.ofSeconds(1)) >= 0,
                "maintenanceInterval " + DurationText.of(maintenanceInterval) + " is below a second");
        LongestDuration.require("node", "maintenanceInterval", maintenanceInterval);
        requireOftenEnough();
        require(workers >= 0 && workers <= MOST_THREADS, "workers " + workers + " is not from 0 to " + MOST_THREADS);
        require(
                leaseWorkers >= 1 && leaseWorkers <= MOST_THREADS,
                "leaseWorkers " + leaseWorkers + " is not from 1 to " + MOST_THREADS);
        require(
                pollInterval.compareTo(Duration.ofMillis(50)) >= 0
                        && pollInterval.compareTo(Duration.ofMinutes(1)) <= 0,
                "pollInterval " + DurationText.of(pollInterval) + " is not from 50 ms to a minute");
        WorkerSettings settings = new WorkerSettings(workers, leaseWorkers, pollInterval);
        List<Source> all = List.copyOf(sources);
        if (inboxes.isEmpty() && relays.isEmpty()) {
            log.warn(
                    "the node has no source, no inbox and no relay: it maintains the store, and works on no message. Add them with"
                            + " NodeBuilder.source, inbox and relay");
        }
        Guard guard = new Guard(retention, all, windowGuard, maintenanceListener);
        List<NodeInbox> ofNode = inboxes.values().stream().map(Inbox::forNodes).toList();
        built = true;
        return new Node(
                all,
                new Workers(backlog, workers == 0 ? List.of() : ofNode, settings),
                RelayWorkers.of(relays.values(), pollInterval),
                new Janitor(store, retention, guard, maintenanceListener, maintenanceInterval),
                guard,
                new Watch(ofNode),
                describe(all));
    }

    private String describe(List<Source> ofNode) {
        return "consumers " + inboxes.keySet() + ", sources "
                + ofNode.stream().map(Source::name).toList()
                + (relays.isEmpty() ? "" : ", relays of " + relays.keySet()) + ", " + workers + " workers, "
                + leaseWorkers
                + " for messages under leases, such as those of external handlers, looks every "
                + DurationText.of(pollInterval) + ", maintenance every " + DurationText.of(maintenanceInterval)
                + ", a window of " + DurationText.of(retention.window());
    }

    private void requireOftenEnough() {
        Duration prepared = store.preparedFor();
        Duration forDays = prepared.compareTo(HOUR.multipliedBy(2)) < 0 ? HOUR : prepared.dividedBy(2);
        Duration window = retention.window();
        Duration forAges = RetentionClock.longestInterval(window);
        Duration longest = forDays.compareTo(forAges) < 0 ? forDays : forAges;
        require(
                maintenanceInterval.compareTo(longest) <= 0,
                "maintenanceInterval " + DurationText.of(maintenanceInterval)
                        + " is too long: one maintenance of the store is enough for " + DurationText.of(prepared)
                        + ", behind which messages come on days that nobody has created, and with a window of "
                        + DurationText.of(window)
                        + " ages catch up after an outage where it comes every " + DurationText.of(forAges)
                        + " or more often. Set "
                        + DurationText.of(longest) + " or less, or daysAhead and window of the store to more");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ConfigurationException("node: " + otherwise);
        }
    }

    /** A store that deletes nothing. */
    private static final class NothingDeleted implements Retention {
        @Override
        public Duration window() {
            return Duration.ofDays(Integer.MAX_VALUE);
        }

        @Override
        public Retired retire() {
            return Retired.NOTHING;
        }
    }
}
