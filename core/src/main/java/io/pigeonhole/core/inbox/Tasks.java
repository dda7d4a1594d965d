package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.Delivery;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The handlers to run in one transaction, with their decoded messages, in the order of arrival. */
final class Tasks<C extends HandlerContext> {
    private final boolean oneByOne;
    private final List<Task<?, C>> tasks = new ArrayList<>();

    /** Tasks of one message each, or of as many neighbours as a list handler takes. */
    Tasks(boolean oneByOne) {
        this.oneByOne = oneByOne;
    }

    /**
     * Decodes a message and takes it in.
     *
     * @throws Exception if it cannot be decoded; it is then not taken in
     */
    void add(Route<?, C> route, Envelope envelope) throws Exception {
        Task<?, C> last = tasks.isEmpty() ? null : tasks.get(tasks.size() - 1);
        if (last != null && last.route.equals(route) && route.takesLists() && !oneByOne) {
            last.add(envelope);
        } else {
            tasks.add(Task.of(route, envelope));
        }
    }

    List<Task<?, C>> list() {
        return tasks;
    }

    /** The message that a key belongs to, among those taken in. */
    Envelope envelopeOf(MessageKey key) {
        for (Task<?, C> task : tasks) {
            for (Envelope envelope : task.envelopes) {
                if (envelope.key().equals(key)) {
                    return envelope;
                }
            }
        }
        throw new IllegalStateException("the store names " + key + ", which no handler in this transaction works on");
    }

    /** One call of a handler. */
    static final class Task<T, C extends HandlerContext> {
        private final Route<T, C> route;
        private final List<T> payloads = new ArrayList<>(1);
        private final List<Envelope> envelopes = new ArrayList<>(1);

        private Task(Route<T, C> route) {
            this.route = route;
        }

        private static <T, C extends HandlerContext> Task<T, C> of(Route<T, C> route, Envelope envelope)
                throws Exception {
            Task<T, C> task = new Task<>(route);
            task.add(envelope);
            return task;
        }

        private void add(Envelope envelope) throws Exception {
            T payload = route.decoder().decode(envelope.message());
            payloads.add(Objects.requireNonNull(payload, "the decoder returned null"));
            envelopes.add(envelope);
        }

        void run(Function<Envelope, C> context) throws Exception {
            List<Delivery<T, C>> deliveries = new ArrayList<>(payloads.size());
            for (int i = 0; i < payloads.size(); i++) {
                deliveries.add(new Delivery<>(payloads.get(i), context.apply(envelopes.get(i))));
            }
            route.handler().handle(Collections.unmodifiableList(deliveries));
        }

        List<Envelope> envelopes() {
            return envelopes;
        }

        /** The message, where it is only one: then it is known who failed. */
        @Nullable
        Envelope soleEnvelope() {
            return envelopes.size() == 1 ? envelopes.get(0) : null;
        }
    }
}
