package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The calls to make in one transaction, in the order of arrival. */
final class Tasks<C extends HandlerContext> {
    private final boolean oneByOne;
    private final List<Task<C>> tasks = new ArrayList<>();

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
        Task<C> last = tasks.isEmpty() ? null : tasks.get(tasks.size() - 1);
        if (!oneByOne && last instanceof Task.Handling<?, C> handling && handling.takesAnotherOf(route)) {
            handling.add(envelope);
        } else {
            tasks.add(Task.Handling.of(route, envelope));
        }
    }

    void add(Envelope envelope, Completion<C> completion) {
        tasks.add(new Task.Completing<>(envelope, completion));
    }

    void replaceAll(UnaryOperator<Task<C>> change) {
        tasks.replaceAll(change);
    }

    List<Task<C>> list() {
        return tasks;
    }

    /** All their messages. */
    static <C extends HandlerContext> List<Envelope> envelopesOf(List<Task<C>> tasks) {
        List<Envelope> envelopes = new ArrayList<>(tasks.size());
        tasks.forEach(task -> envelopes.addAll(task.envelopes()));
        return envelopes;
    }

    /** The message, where only one was taken in. */
    @Nullable
    Envelope soleEnvelope() {
        return tasks.size() == 1 ? tasks.get(0).soleEnvelope() : null;
    }

    /** The message that a key belongs to, among those taken in. */
    Envelope envelopeOf(MessageKey key) {
        Envelope found = find(key);
        if (found == null) {
            throw new IllegalStateException(
                    "the store names " + key + ", which no handler in this transaction works on");
        }
        return found;
    }

    /** The same; null where none of them has this key. */
    @Nullable
    Envelope find(MessageKey key) {
        for (Task<C> task : tasks) {
            for (Envelope envelope : task.envelopes()) {
                if (envelope.key().equals(key)) {
                    return envelope;
                }
            }
        }
        return null;
    }
}
