package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.RetryableException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whose an interrupt is. It is a signal of ours only where the owner of the thread says that he ends it; then nothing
 * is decided about the messages in work. Every other one is left behind by a handler, or meant for the caller: it decides
 * nothing, is cleared before our own statements and the next handler, and the caller finds it again when the call returns.
 */
final class Interrupts {
    private static final ThreadLocal<@Nullable Interrupts> CURRENT = new ThreadLocal<>();

    private final BooleanSupplier ending;
    private final boolean owned;
    private boolean seen;

    private static boolean never() {
        return false;
    }

    private Interrupts(BooleanSupplier ending, boolean owned) {
        this.ending = ending;
        this.owned = owned;
    }

    /** A call on a thread of the caller's, who finds an interrupt again that came before the call or during it. */
    static <R> R ofCaller(Supplier<R> call) {
        Interrupts outer = CURRENT.get();
        Interrupts inner =
                new Interrupts(outer == null ? Interrupts::never : outer.ending, outer != null && outer.owned);
        inner.noteAndClear();
        try {
            return inner.during(call, outer);
        } finally {
            if (inner.seen) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A call on a thread that is interrupted only to end it, after {@code ending} has begun to say so. */
    static <R> R ofOwner(BooleanSupplier ending, Supplier<R> call) {
        Interrupts inner = new Interrupts(ending, true);
        inner.noteAndClear();
        return inner.during(call, CURRENT.get());
    }

    private <R> R during(Supplier<R> call, @Nullable Interrupts outer) {
        CURRENT.set(this);
        try {
            return call.get();
        } finally {
            noteAndClear();
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /** Clears what code of the application has left behind, unless it is ours. */
    static void clear() {
        Interrupts current = CURRENT.get();
        if (current != null) {
            current.noteAndClear();
        }
    }

    private void noteAndClear() {
        if (!ending.getAsBoolean()) {
            seen |= Thread.interrupted();
        }
    }

    /** Notes an interrupt that was caught and is not ours: whoever it was meant for finds it again. */
    static void caught() {
        Interrupts current = CURRENT.get();
        if (current != null) {
            current.seen = true;
        }
    }

    /** Whether the thread is being ended. */
    static boolean areOurs() {
        Interrupts current = CURRENT.get();
        return current != null && current.ending.getAsBoolean();
    }

    /** Whether the thread is one of a node or a source, which goes on with another where it hangs. */
    static boolean isOwned() {
        Interrupts current = CURRENT.get();
        return current != null && current.owned;
    }

    /**
     * Goes on unless the thread is being ended.
     *
     * @throws RetryableException if it is; nothing is decided then
     */
    static void requireNotEnding(int messages, @Nullable Throwable cause) {
        if (areOurs()) {
            RetryableException ending = new RetryableException(
                    "interrupted while working on " + messages
                            + " messages, as the thread is being ended; nothing was committed, hand them in again",
                    null);
            // No cause: it may be the failure of another database, and says nothing about the store.
            if (cause != null) {
                ending.addSuppressed(cause);
            }
            throw ending;
        }
    }
}
