package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.BatchHandler;
import io.pigeonhole.core.handler.ExternalHandler;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.core.time.LongestDuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the settings of an {@link Inbox}. Not safe for use by many threads.
 *
 * <p>One long class, because most of it is the documentation of the settings, a short method each.
 *
 * @param <C> the context that the store hands to handlers
 */
public final class InboxBuilder<C extends HandlerContext> {
    private static final Logger log = LoggerFactory.getLogger(InboxBuilder.class);
    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final int STANDARD_PAYLOAD_LIMIT = 1 << 20;

    private final String consumer;
    private final InboxStore<C> store;
    private final Map<String, Route<?, C>> routes = new LinkedHashMap<>();
    private final List<InboxListener> listeners = new ArrayList<>();
    private IdForm idForm = IdForm.TIME_ORDERED;
    private Deduplication deduplication = Deduplication.IDS;
    private RetryPolicy retry = RetryPolicy.standard();
    private int payloadLimit = STANDARD_PAYLOAD_LIMIT;
    private @Nullable String typeHeader;
    private @Nullable String defaultType;
    private @Nullable UnknownType unknownType;
    private @Nullable Route<?, C> other;
    private HistoryMode history = HistoryMode.NONE;
    private Duration handlerTimeout = Duration.ofMinutes(1);
    private Duration concurrentDuplicateTimeout = Duration.ofMillis(300);
    private KeyOrder order = KeyOrder.NONE;
    private int workPartitions = ConsumerRegistration.STANDARD_WORK_PARTITIONS;
    private Reception reception = Reception.INLINE;
    private OnRedeliveredDeadLetter onRedeliveredDeadLetter = OnRedeliveredDeadLetter.KEEP;
    private boolean conflicts;
    private int crashLimit = 3;
    private int workBatch = 500;
    private long workBytes = 16L << 20;
    private int lateLimit = LateFlood.STANDARD_LIMIT;
    private Duration lease = Duration.ofMinutes(1);
    private Duration externalTimeout = Duration.ofHours(1);
    private Duration slowBatch = Duration.ofMinutes(5);
    private String node = NodeName.ofThisProcess();

    InboxBuilder(String consumer, InboxStore<C> store) {
        if (consumer.startsWith(Outbox.CONSUMER_PREFIX)) {
            throw new ConfigurationException("an inbox cannot have the name '" + consumer + "': names that begin with "
                    + Outbox.CONSUMER_PREFIX + " are those of relays, whose refused messages it would take");
        }
        this.consumer = consumer;
        this.store = store;
    }

    /**
     * Handles the messages of one type, one by one.
     *
     * @param type the type
     * @param decoder makes the handler's argument
     * @param handler the business logic
     * @param <T> the type of the decoded payload
     * @return this
     * @throws ConfigurationException if the type has a handler already
     */
    public <T> InboxBuilder<C> handle(String type, PayloadDecoder<T> decoder, Handler<? super T, ? super C> handler) {
        return handle(type, decoder, handler, HandlerOptions.standard());
    }

    /**
     * Handles the messages of one type, one by one, with options of its own.
     *
     * @param type the type
     * @param decoder makes the handler's argument
     * @param handler the business logic
     * @param options what this type wants otherwise than the inbox
     * @param <T> the type of the decoded payload
     * @return this
     * @throws ConfigurationException if the type has a handler already
     */
    public <T> InboxBuilder<C> handle(
            String type, PayloadDecoder<T> decoder, Handler<? super T, ? super C> handler, HandlerOptions options) {
        return route(type, Route.single(decoder, handler, options));
    }

    /**
     * Handles the messages of one type in lists: those that stand behind one another in a batch.
     *
     * @param type the type
     * @param decoder makes the payloads of the list
     * @param handler the business logic
     * @param <T> the type of the decoded payload
     * @return this
     * @throws ConfigurationException if the type has a handler already
     */
    public <T> InboxBuilder<C> handleBatch(String type, PayloadDecoder<T> decoder, BatchHandler<T, C> handler) {
        return handleBatch(type, decoder, handler, HandlerOptions.standard());
    }

    /**
     * Handles the messages of one type in lists, with options of its own.
     *
     * @param type the type
     * @param decoder makes the payloads of the list
     * @param handler the business logic
     * @param options what this type wants otherwise than the inbox
     * @param <T> the type of the decoded payload
     * @return this
     * @throws ConfigurationException if the type has a handler already
     */
    public <T> InboxBuilder<C> handleBatch(
            String type, PayloadDecoder<T> decoder, BatchHandler<T, C> handler, HandlerOptions options) {
        return route(type, Route.list(decoder, handler, options));
    }

    /**
     * Handles the messages of one type whose effect is in another system: outside any transaction, under a lease. They are
     * stored first, whatever the reception is, and worked on by the workers.
     *
     * @param type the type
     * @param decoder makes the handler's argument
     * @param handler the business logic
     * @param <T> the type of the decoded payload
     * @return this
     * @throws ConfigurationException if the type has a handler already
     */
    public <T> InboxBuilder<C> handleExternal(String type, PayloadDecoder<T> decoder, ExternalHandler<T, C> handler) {
        return handleExternal(type, decoder, handler, HandlerOptions.standard());
    }

    /**
     * Handles the messages of one type whose effect is in another system, with options of its own.
     *
     * @param type the type
     * @param decoder makes the handler's argument
     * @param handler the business logic
     * @param options what this type wants otherwise than the inbox
     * @param <T> the type of the decoded payload
     * @return this
     * @throws ConfigurationException if the type has a handler already
     */
    public <T> InboxBuilder<C> handleExternal(
            String type, PayloadDecoder<T> decoder, ExternalHandler<T, C> handler, HandlerOptions options) {
        return route(type, Route.external(decoder, handler, options));
    }

    /**
     * Handles, one by one, the messages of every type that has no handler of its own, and those without a type. Also those in work
     * that another program stored: during a deployment, an older program with this handler takes what a newer one knows better.
     *
     * @param decoder makes the handler's argument
     * @param handler the business logic; {@code context.message()} has the type
     * @param <T> the type of the decoded payload
     * @return this
     * @throws ConfigurationException if there is one already
     */
    public <T> InboxBuilder<C> handleOther(PayloadDecoder<T> decoder, Handler<? super T, ? super C> handler) {
        return handleOther(decoder, handler, HandlerOptions.standard());
    }

    /**
     * Handles the messages of every other type, with options of their own.
     *
     * @param decoder makes the handler's argument
     * @param handler the business logic; {@code context.message()} has the type
     * @param options what these types want otherwise than the inbox
     * @param <T> the type of the decoded payload
     * @return this
     * @throws ConfigurationException if there is one already
     */
    public <T> InboxBuilder<C> handleOther(
            PayloadDecoder<T> decoder, Handler<? super T, ? super C> handler, HandlerOptions options) {
        require(other == null, "there are two handlers for every other type; give it one");
        this.other = Route.single(decoder, handler, options);
        return this;
    }

    private InboxBuilder<C> route(String type, Route<?, C> route) {
        if (routes.putIfAbsent(type, route) != null) {
            throw new ConfigurationException(
                    "inbox '" + consumer + "': type '" + type + "' has two handlers; give each type one");
        }
        return this;
    }

    /**
     * Says how accepted messages are distinguished from new ones. It is fixed when the consumer is registered, until
     * somebody changes it by the admin API.
     *
     * @param by how, {@link Deduplication#IDS} unless set; the others need a source that is a log
     * @return this
     */
    public InboxBuilder<C> deduplication(Deduplication by) {
        this.deduplication = by;
        return this;
    }

    /**
     * Says what the ids of the messages are. It decides the form of the keys and is fixed when the consumer is registered.
     *
     * @param form the form, {@link IdForm#TIME_ORDERED} unless set
     * @return this
     */
    public InboxBuilder<C> ids(IdForm form) {
        this.idForm = form;
        return this;
    }

    /**
     * Sets the retry policy of all types that have none of their own.
     *
     * @param policy the policy, {@link RetryPolicy#standard()} unless set
     * @return this
     */
    public InboxBuilder<C> retry(RetryPolicy policy) {
        this.retry = policy;
        return this;
    }

    /**
     * Sets the largest payload of all types that have no limit of their own. Larger ones go to the dead letters.
     *
     * @param bytes the limit, 1 MiB unless set
     * @return this
     */
    public InboxBuilder<C> payloadLimit(int bytes) {
        this.payloadLimit = bytes;
        return this;
    }

    /**
     * Reads the type of a message from a header, where it has that header; else from the message's own type.
     *
     * @param name the header's name
     * @return this
     */
    public InboxBuilder<C> typeHeader(String name) {
        this.typeHeader = name;
        return this;
    }

    /**
     * Sets the type of messages that come without one, such as those of a topic with one kind of message.
     *
     * @param type the type
     * @return this
     */
    public InboxBuilder<C> defaultType(String type) {
        this.defaultType = type;
        return this;
    }

    /**
     * Says what becomes of a message whose type has no handler when it is delivered. One in work waits for a program that has
     * one, because programs may differ during a deployment.
     *
     * @param policy what, {@link UnknownType#DEAD_LETTER} unless set; not together with {@link #handleOther}
     * @return this
     */
    public InboxBuilder<C> unknownType(UnknownType policy) {
        this.unknownType = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * Says whether finished messages are recorded.
     *
     * @param mode whether and how, {@link HistoryMode#NONE} unless set
     * @return this
     */
    public InboxBuilder<C> history(HistoryMode mode) {
        this.history = mode;
        return this;
    }

    /**
     * Sets the longest time that a handler may spend without using the database. A transaction that is idle for longer is
     * ended by the database, so that a process that hangs holds no locks for ever and cannot commit when it wakes up.
     * A handler may take ten times as long altogether. Then a node that has this inbox interrupts it, and its attempt has failed. Where it
     * does not return from the interrupt, as from a call without a timeout, another thread takes the place of its own, sixteen times
     * at most, and the message goes on under leases, where each attempt counts.
     *
     * @param timeout from a millisecond to 365 days, one minute unless set
     * @return this
     */
    public InboxBuilder<C> handlerTimeout(Duration timeout) {
        this.handlerTimeout = timeout;
        return this;
    }

    /**
     * Sets how long to wait for another transaction that is working on the same message, before it is reported as busy.
     *
     * @param timeout from a millisecond to 365 days, 300 ms unless set
     * @return this
     */
    public InboxBuilder<C> concurrentDuplicateTimeout(Duration timeout) {
        this.concurrentDuplicateTimeout = timeout;
        return this;
    }

    /**
     * Says whether messages of one ordering key take effect in the order of their arrival, whatever fails in between. Fixed
     * when the consumer is registered.
     *
     * @param keyOrder the order, {@link KeyOrder#NONE} unless set
     * @return this
     */
    public InboxBuilder<C> order(KeyOrder keyOrder) {
        this.order = keyOrder;
        return this;
    }

    /**
     * Sets into how many work partitions unfinished messages are split: as many workers can be at work on this consumer at once, on
     * all nodes together. Fixed when the consumer is registered.
     *
     * @param number from 1 to 1024, 16 unless set
     * @return this
     */
    public InboxBuilder<C> workPartitions(int number) {
        this.workPartitions = number;
        return this;
    }

    /**
     * Says when the handlers of delivered messages run.
     *
     * @param when at once, or later by the workers; {@link Reception#INLINE} unless set
     * @return this
     */
    public InboxBuilder<C> reception(Reception when) {
        this.reception = when;
        return this;
    }

    /**
     * Says what becomes of a dead letter whose message is delivered again.
     *
     * @param policy what, {@link OnRedeliveredDeadLetter#KEEP} unless set
     * @return this
     */
    public InboxBuilder<C> onRedeliveredDeadLetter(OnRedeliveredDeadLetter policy) {
        this.onRedeliveredDeadLetter = policy;
        return this;
    }

    /**
     * Keeps a hash of each payload, 16 bytes a message, so that a message that comes with the id of an accepted one but with
     * another payload is no duplicate: it goes to the dead letters as a conflict. Off unless called.
     *
     * @return this
     */
    public InboxBuilder<C> detectConflicts() {
        this.conflicts = true;
        return this;
    }

    /**
     * Sets after how many deliveries, or beginnings of a process at the same place, without an outcome a message is
     * suspected of killing its process. It is then worked on alone and under a lease, its attempt counted first.
     *
     * @param deliveries at least 1, 3 unless set
     * @return this
     */
    public InboxBuilder<C> crashLimit(int deliveries) {
        this.crashLimit = deliveries;
        return this;
    }

    /**
     * Sets how many messages may be late within an hour, in this process. Those that come then and are late too are held
     * back, with what must not overtake them: they are {@link Outcome.Busy} until the hour is over, and the source hands them
     * in again. All other messages go on. Late
     * messages by the thousand mean that somebody has reset offsets, and dead letters are not the place for a topic. The same
     * goes, counted apart, for messages of days that the ledger does not have yet; they pass as soon as it has them.
     *
     * @param perHour at least 1, 1,000 unless set
     * @return this
     */
    public InboxBuilder<C> lateLimit(int perHour) {
        this.lateLimit = perHour;
        return this;
    }

    /**
     * Sets how many messages a worker takes in one transaction.
     *
     * @param messages from 1 to 10,000, 500 unless set
     * @return this
     */
    public InboxBuilder<C> workBatch(int messages) {
        this.workBatch = messages;
        return this;
    }

    /**
     * Sets how many bytes of payloads, headers and ordering keys a worker takes in one transaction, so that many large messages do not
     * exhaust the heap. Each of the node's workers may hold as much. A message that is larger by itself is taken alone.
     *
     * @param bytes at least 1, 16 MiB unless set
     * @return this
     */
    public InboxBuilder<C> workBytes(long bytes) {
        this.workBytes = bytes;
        return this;
    }

    /**
     * Sets how long a lease lasts without a heartbeat: so long after a process has died its message is tried again. A
     * heartbeat comes at every third of it.
     *
     * @param duration from a second to a day, one minute unless set
     * @return this
     */
    public InboxBuilder<C> lease(Duration duration) {
        this.lease = duration;
        return this;
    }

    /**
     * Sets how long a call of an external handler may take. Then the handler's thread is interrupted and the lease is not
     * prolonged any more, so that a handler that hangs keeps neither its message nor others for ever: the attempt has failed,
     * here or where the lease is found to have run out. It is looked at with every heartbeat. What comes behind the call, such
     * as waiting for the database, does not count.
     *
     * @param timeout from a millisecond to 365 days, an hour unless set
     * @return this
     */
    public InboxBuilder<C> externalTimeout(Duration timeout) {
        this.externalTimeout = timeout;
        return this;
    }

    /**
     * Sets how long a batch may be in work before it is reported, once, by a warning in the log and by
     * {@link InboxListener#onSlowBatch}. Nothing else happens to it.
     *
     * @param duration from a millisecond to 365 days, five minutes unless set
     * @return this
     */
    public InboxBuilder<C> slowBatch(Duration duration) {
        this.slowBatch = duration;
        return this;
    }

    /**
     * Names this node in what is recorded of failed attempts.
     *
     * @param name the name; process id and host unless set
     * @return this
     */
    public InboxBuilder<C> node(String name) {
        this.node = name;
        return this;
    }

    /**
     * Adds a listener.
     *
     * @param listener called for what the inbox does
     * @return this
     */
    public InboxBuilder<C> listener(InboxListener listener) {
        this.listeners.add(listener);
        return this;
    }

    /**
     * Checks the settings together, registers the consumer in the store and makes the inbox.
     *
     * @return the inbox
     * @throws ConfigurationException if settings are wrong, or differ from those that the consumer was registered with
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if the database cannot be reached
     */
    public Inbox<C> build() {
        require(payloadLimit >= 0, "payloadLimit " + payloadLimit + " is negative");
        requireDuration("handlerTimeout", handlerTimeout);
        requireDuration("concurrentDuplicateTimeout", concurrentDuplicateTimeout);
        require(
                other == null || unknownType == null,
                "unknownType " + unknownType + " is never asked beside a handler for every other type; leave out one");
        require(
                defaultType == null || other != null || routes.containsKey(defaultType),
                "defaultType '" + defaultType + "' has no handler; handled are " + routes.keySet());
        require(crashLimit >= 1, "crashLimit " + crashLimit + " is below 1");
        require(lateLimit >= 1, "lateLimit " + lateLimit + " is below 1");
        require(workBatch >= 1 && workBatch <= 10_000, "workBatch " + workBatch + " is not from 1 to 10000");
        requireDuration("externalTimeout", externalTimeout);
        requireDuration("slowBatch", slowBatch);
        require(workBytes >= 1, "workBytes " + workBytes + " is below 1");
        require(
                lease.compareTo(Duration.ofSeconds(1)) >= 0 && lease.compareTo(Duration.ofDays(1)) <= 0,
                "lease " + DurationText.of(lease) + " is not from a second to a day");
        RegisteredConsumer registered =
                store.register(new ConsumerRegistration(consumer, idForm, order, workPartitions, deduplication));
        Routing<C> routing = new Routing<>(
                Map.copyOf(routes),
                other,
                typeHeader,
                defaultType,
                unknownType == null ? UnknownType.DEAD_LETTER : unknownType,
                retry,
                payloadLimit,
                new UnknownWork());
        EngineSettings settings = new EngineSettings(
                handlerTimeout,
                concurrentDuplicateTimeout,
                history,
                reception,
                onRedeliveredDeadLetter,
                conflicts,
                crashLimit,
                workBatch,
                workBytes,
                lease,
                externalTimeout,
                slowBatch,
                node);
        log.info(
                "inbox '{}': types {}{}, deduplication by {}, order {}, {} work partitions, reception {}, history {}",
                consumer,
                routes.keySet(),
                other == null ? "" : " and every other",
                deduplication,
                order,
                workPartitions,
                reception,
                history);
        return assemble(registered, routing, settings);
    }

    private Inbox<C> assemble(RegisteredConsumer registered, Routing<C> routing, EngineSettings settings) {
        Listeners all = new Listeners(consumer, List.copyOf(listeners));
        WorkSignal signal = new WorkSignal();
        RunningBatches running = new RunningBatches(consumer, settings, all);
        LateFlood flood = new LateFlood(consumer, lateLimit, System::nanoTime);
        InboxEngine<C> engine = new InboxEngine<>(store, registered, routing, settings, all, signal, flood, running);
        LeaseWorker<C> leases = new LeaseWorker<>(store, registered, routing, settings, engine, all);
        Worker<C> worker = new Worker<>(store, registered, settings, engine, leases, running);
        return new Inbox<>(
                store,
                registered,
                settings.reception(),
                engine,
                worker,
                new SourceView<>(store, registered, settings, engine, running),
                new NodeView<>(store, registered, routing, worker, running, signal, all),
                new OwnHandlers<>(routing));
    }

    private void requireDuration(String setting, Duration value) {
        require(value.compareTo(MILLISECOND) >= 0, setting + " " + DurationText.of(value) + " is below a millisecond");
        LongestDuration.require("inbox '" + consumer + "'", setting, value);
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ConfigurationException("inbox '" + consumer + "': " + otherwise);
        }
    }
}
