package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.Delivery;
import io.pigeonhole.core.handler.HandlerContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of the application in a transaction. */
interface Task<C extends HandlerContext> {
    /** The messages that it is about, at least one. */
    List<Envelope> envelopes();

    void run(Function<Envelope, C> context) throws Exception;

    /** The message, where it is only one: then it is known who failed. */
    default @Nullable Envelope soleEnvelope() {
        return envelopes().size() == 1 ? envelopes().get(0) : null;
    }

    /** A handler with its decoded messages. */
    final class Handling<T, C extends HandlerContext> implements Task<C> {
        private final Route<T, C> route;
        private final List<T> payloads = new ArrayList<>(1);
        private final List<Envelope> envelopes = new ArrayList<>(1);

        private Handling(Route<T, C> route) {
            this.route = route;
        }

        static <T, C extends HandlerContext> Handling<T, C> of(Route<T, C> route, Envelope envelope) throws Exception {
            Handling<T, C> handling = new Handling<>(route);
            handling.add(envelope);
            return handling;
        }

        void add(Envelope envelope) throws Exception {
            payloads.add(route.decode(envelope.message()));
            envelopes.add(envelope);
        }

        /** Types are handled apart, also where one handler was given for two. */
        @SuppressWarnings("ReferenceEquality")
        boolean takesAnotherOf(Route<?, C> other) {
            return route == other && route.takesLists();
        }

        @Override
        public List<Envelope> envelopes() {
            return envelopes;
        }

        @Override
        public void run(Function<Envelope, C> context) throws Exception {
            List<Delivery<T, C>> deliveries = new ArrayList<>(payloads.size());
            for (int i = 0; i < payloads.size(); i++) {
                deliveries.add(new Delivery<>(payloads.get(i), context.apply(envelopes.get(i))));
            }
            route.handler().handle(Collections.unmodifiableList(deliveries));
        }
    }

    /** What an external handler wants to write. */
    record Completing<C extends HandlerContext>(Envelope envelope, Completion<C> completion) implements Task<C> {
        @Override
        public List<Envelope> envelopes() {
            return List.of(envelope);
        }

        @Override
        public void run(Function<Envelope, C> context) throws Exception {
            completion.complete(context.apply(envelope));
        }
    }

    /**
     * A call that is interrupted where the lease of its message is kept for too long.
     *
     * @param evenLate whether it is made although one before it took too long
     */
    record UnderLease<C extends HandlerContext>(Task<C> task, LeaseKeeper.Kept lease, boolean evenLate)
            implements Task<C> {
        @Override
        public List<Envelope> envelopes() {
            return task.envelopes();
        }

        @Override
        public void run(Function<Envelope, C> context) throws Exception {
            Callable<List<Envelope>> run = () -> {
                task.run(context);
                return envelopes();
            };
            if (evenLate) {
                lease.complete(run);
            } else {
                lease.call(run);
            }
        }
    }
}
