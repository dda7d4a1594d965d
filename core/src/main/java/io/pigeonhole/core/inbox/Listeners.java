package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of an inbox: calls all of them, and goes on whatever they throw. */
final class Listeners {
    private static final Logger log = LoggerFactory.getLogger(Listeners.class);

    private final String consumer;
    private final List<InboxListener> listeners;
    private final FailureLog failures;
    private final OutcomeCounts counts;
    private final ListenerThread slowBatches;
    private final LimitedWarnings failed = new LimitedWarnings(System::nanoTime);

    Listeners(String consumer, List<InboxListener> listeners) {
        this.consumer = consumer;
        this.listeners = listeners;
        this.failures = new FailureLog(consumer, System::nanoTime);
        this.counts = new OutcomeCounts(consumer, System::nanoTime);
        this.slowBatches = new ListenerThread("pigeonhole-slow-batch-" + consumer);
    }

    void outcome(Message message, Outcome outcome) {
        counts.add(outcome);
        try {
            failures.outcome(message, outcome);
        } catch (Throwable e) {
            // An appender of the application failed: it changes nothing, and there is nowhere to say so.
            Interrupts.clear();
        }
        call(listener -> listener.onOutcome(consumer, message, outcome));
    }

    /** Says what was done since the last time. */
    void reportOutcomes() {
        counts.report();
    }

    void rollback(int messages, Throwable cause) {
        if (log.isDebugEnabled()) {
            log.debug(
                    "consumer '{}': {} messages rolled back, to be tried again at once",
                    consumer,
                    messages,
                    FailureText.readable(cause));
        }
        call(listener -> listener.onRollback(consumer, messages, cause));
    }

    /** Does something with a batch, inside of what the listeners do around it. */
    void aroundBatch(List<Envelope> group, Runnable work) {
        if (listeners.isEmpty() || group.isEmpty()) {
            work.run();
            return;
        }
        try {
            around(InboxListener::aroundBatch, group, work::run);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("work on a batch throws unchecked exceptions only", e);
        }
    }

    /** Calls a handler, inside of what the listeners do around it. */
    void aroundHandler(List<Envelope> group, ListenedInvocation.Body call) throws Exception {
        if (listeners.isEmpty()) {
            call.run();
        } else {
            around(InboxListener::aroundHandler, group, call);
        }
    }

    /** What one listener does around something. */
    @FunctionalInterface
    private interface Around {
        void invoke(InboxListener listener, Invocation invocation) throws Exception;
    }

    private void around(Around how, List<Envelope> group, ListenedInvocation.Body body) throws Exception {
        List<Message> messages = group.stream().map(Envelope::message).toList();
        int attempt = group.get(0).attempt();
        ListenedInvocation.Body whole = body;
        for (int i = listeners.size() - 1; i >= 0; i--) {
            InboxListener listener = listeners.get(i);
            ListenedInvocation.Body inner = whole;
            whole = () -> around(how, listener, new ListenedInvocation(consumer, messages, attempt, inner));
        }
        whole.run();
    }

    private void around(Around how, InboxListener listener, ListenedInvocation invocation) throws Exception {
        try {
            how.invoke(listener, invocation);
        } catch (Throwable e) {
            if (e != invocation.thrown()) {
                failed(listener, e);
            }
        }
        invocation.finish();
    }

    private void failed(InboxListener listener, Throwable failure) {
        try {
            String name = listener.getClass().getName();
            long before = failed.pass(name);
            if (before >= 0) {
                log.warn(
                        "consumer '{}': listener {} failed; it changes nothing{}",
                        consumer,
                        name,
                        before == 0 ? "" : " (" + before + " more failures of it were not logged)",
                        FailureText.readable(failure));
            }
        } catch (Throwable e) {
            // An appender of the application failed, too.
            Interrupts.clear();
        }
    }

    /** With the place in the code where its thread is. */
    void slowBatch(Duration inWork, Thread thread) {
        Throwable place = new Throwable("where the thread '" + thread.getName() + "' is");
        place.setStackTrace(thread.getStackTrace());
        log.warn(
                "consumer '{}': a batch has been in work for {} ms; its messages wait, and so do those behind them",
                consumer,
                inWork.toMillis(),
                place);
        if (!listeners.isEmpty()) {
            slowBatches.call(() -> call(listener -> listener.onSlowBatch(consumer, inWork)));
        }
    }

    void leaseLost(Message message) {
        log.warn(
                "consumer '{}': the lease of {} was lost, and what its handler wanted to write is refused: it took longer"
                        + " than its heartbeat could prolong, or somebody released it",
                consumer,
                message);
        call(listener -> listener.onLeaseLost(consumer, message));
    }

    private void call(Consumer<InboxListener> what) {
        for (InboxListener listener : listeners) {
            try {
                what.accept(listener);
            } catch (Throwable e) {
                // What it was called about is committed, or rolled back, whatever it throws.
                failed(listener, e);
            } finally {
                Interrupts.clear();
            }
        }
    }
}
