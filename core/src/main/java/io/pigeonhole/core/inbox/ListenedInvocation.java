package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one listener is around: it is done once, whatever the listener does, and what it throws comes out. */
final class ListenedInvocation implements Invocation {
    private final String consumer;
    private final List<Message> messages;
    private final int attempt;
    private final Body body;
    private final Thread thread = Thread.currentThread();
    private boolean begun;
    private @Nullable Throwable thrown;

    /** What is done. */
    @FunctionalInterface
    interface Body {
        void run() throws Exception;
    }

    ListenedInvocation(String consumer, List<Message> messages, int attempt, Body body) {
        this.consumer = consumer;
        this.messages = messages;
        this.attempt = attempt;
        this.body = body;
    }

    @Override
    public String consumer() {
        return consumer;
    }

    @Override
    public List<Message> messages() {
        return messages;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public void proceed() throws Exception {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "proceed() belongs to the thread '" + thread.getName() + "' that the listener was called on");
        }
        if (begun) {
            throw new IllegalStateException("proceed() was called before, and what it does must be done once");
        }
        begun = true;
        // Left behind by the listener: it is not meant for the handler.
        Interrupts.clear();
        try {
            body.run();
        } catch (Throwable e) {
            thrown = e;
            throw e;
        }
    }

    /** What was thrown by what is done; null where nothing was. */
    @Nullable
    Throwable thrown() {
        return thrown;
    }

    /** Does it where the listener did not, and throws what it has thrown. */
    void finish() throws Exception {
        if (!begun) {
            proceed();
        }
        if (thrown instanceof Error e) {
            throw e;
        }
        if (thrown instanceof Exception e) {
            throw e;
        }
        if (thrown != null) {
            throw new IllegalStateException("neither an exception nor an error was thrown", thrown);
        }
    }
}
