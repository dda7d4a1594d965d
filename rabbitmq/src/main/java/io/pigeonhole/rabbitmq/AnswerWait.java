package io.pigeonhole.rabbitmq;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of one queue and waits for each answer as long as the connection lives, and says so where that takes long.
 * Nothing is gained by asking again on another connection: the broker keeps the first request, and a quorum queue counts a delivery
 * for it later.
 *
 * <p>One request at a time, by the thread of the queue.
 */
final class AnswerWait {
    private final Duration limit;
    private final Consumer<String> late;
    private @Nullable CompletableFuture<Void> awaited;

    /**
     * Prepares to wait.
     *
     * @param limit after how long it is said
     * @param late is called with the name of the method that is not answered, by a thread of the JDK
     */
    AnswerWait(Duration limit, Consumer<String> late) {
        this.limit = limit;
        this.late = late;
    }

    /** A request of which the client returns when it is answered. */
    @FunctionalInterface
    interface Request {
        void send() throws IOException;
    }

    /** Sends a request and waits for its answer. */
    void send(String method, Request request) throws IOException {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        awaited(answer);
        var unused = answer.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).exceptionallyAsync(timeout -> {
            report(answer, method);
            return null;
        });
        try {
            request.send();
        } finally {
            awaited(null);
            answer.complete(null);
        }
    }

    private synchronized void awaited(@Nullable CompletableFuture<Void> answer) {
        awaited = answer;
    }

    /** Not after the answer. */
    private synchronized void report(CompletableFuture<Void> answer, String method) {
        if (awaited == answer) {
            late.accept(method);
        }
    }

    /** Whether a request is not answered, for longer than is usual. */
    synchronized boolean isLate() {
        return awaited != null && awaited.isCompletedExceptionally();
    }
}
