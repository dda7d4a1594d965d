package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.BatchHandler;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.IdForm;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of an {@link Inbox}. Not safe for use by many threads.
 *
 * @param <C> the context that the store hands to handlers
 */
public final class InboxBuilder<C extends HandlerContext> {
    private static final int STANDARD_PAYLOAD_LIMIT = 1 << 20;

    private final String consumer;
    private final InboxStore<C> store;
    private final Map<String, Route<?, C>> routes = new LinkedHashMap<>();
    private final List<InboxListener> listeners = new ArrayList<>();
    private IdForm idForm = IdForm.TIME_ORDERED;
    private RetryPolicy retry = RetryPolicy.standard();
    private int payloadLimit = STANDARD_PAYLOAD_LIMIT;
    private @Nullable String typeHeader;
    private @Nullable String defaultType;
    private UnknownType unknownType = UnknownType.DEAD_LETTER;
    private HistoryMode history = HistoryMode.NONE;
    private Duration handlerTimeout = Duration.ofMinutes(1);
    private Duration twinPatience = Duration.ofMillis(300);
    private String node = NodeName.ofThisProcess();

    InboxBuilder(String consumer, InboxStore<C> store) {
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
    public <T> InboxBuilder<C> handleAll(String type, PayloadDecoder<T> decoder, BatchHandler<T, C> handler) {
        return handleAll(type, decoder, handler, HandlerOptions.standard());
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
    public <T> InboxBuilder<C> handleAll(
            String type, PayloadDecoder<T> decoder, BatchHandler<T, C> handler, HandlerOptions options) {
        return route(type, Route.list(decoder, handler, options));
    }

    private InboxBuilder<C> route(String type, Route<?, C> route) {
        if (routes.putIfAbsent(type, route) != null) {
            throw new ConfigurationException(
                    "inbox '" + consumer + "': type '" + type + "' has two handlers; give each type one");
        }
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
     * Says what becomes of a message whose type has no handler.
     *
     * @param policy what, {@link UnknownType#DEAD_LETTER} unless set
     * @return this
     */
    public InboxBuilder<C> unknownType(UnknownType policy) {
        this.unknownType = policy;
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
     *
     * @param timeout at least a millisecond, one minute unless set
     * @return this
     */
    public InboxBuilder<C> handlerTimeout(Duration timeout) {
        this.handlerTimeout = timeout;
        return this;
    }

    /**
     * Sets how long to wait for another transaction that is working on the same message, before it is told as busy.
     *
     * @param patience at least a millisecond, 300 ms unless set
     * @return this
     */
    public InboxBuilder<C> twinPatience(Duration patience) {
        this.twinPatience = patience;
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
     * @param listener is told what the inbox does
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
        require(handlerTimeout.toMillis() >= 1, "handlerTimeout " + handlerTimeout + " is below a millisecond");
        require(twinPatience.toMillis() >= 1, "twinPatience " + twinPatience + " is below a millisecond");
        require(
                defaultType == null || routes.containsKey(defaultType),
                "defaultType '" + defaultType + "' has no handler; handled are " + routes.keySet());
        RegisteredConsumer registered = store.register(new ConsumerRegistration(consumer, idForm));
        Routing<C> routing =
                new Routing<>(Map.copyOf(routes), typeHeader, defaultType, unknownType, retry, payloadLimit);
        EngineSettings settings = new EngineSettings(handlerTimeout, twinPatience, history, node);
        Announcer announcer = new Announcer(consumer, List.copyOf(listeners));
        return new Inbox<>(store, registered, new InboxEngine<>(store, registered, routing, settings, announcer));
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ConfigurationException("inbox '" + consumer + "': " + otherwise);
        }
    }
}
