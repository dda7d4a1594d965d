package io.pigeonhole.examples.chain;

import io.pigeonhole.examples.demo.Pace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Clients that place orders over HTTP, and do not give up: whatever breaks, they send the same key again until they are answered. Each
 * answer to a key has to be the same bytes. For one thread, which starts, asks and closes.
 */
final class OrderClients implements AutoCloseable {
    private static final int THREADS = 10;
    private static final int TOGETHER = 3;
    private static final int LATER = 150;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int LONGEST_PAUSE_MILLIS = 250;

    private static final int CREATED = 201;
    private static final int CONFLICT = 409;
    private static final int FAILED = 500;

    private record Answered(PlannedOrder order, String answer) {}

    private final OrderPlan plan;
    private final Pace pace;
    private final Path portFile;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "client");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong replayed = new AtomicLong();
    private final Queue<Answered> later = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingLater = new AtomicInteger();
    private final Queue<String> objections = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicInteger running = new AtomicInteger(THREADS);

    OrderClients(OrderPlan plan, Pace pace, Path portFile) {
        this.plan = plan;
        this.pace = pace;
        this.portFile = portFile;
    }

    void start() {
        for (int i = 0; i < THREADS; i++) {
            Future<?> unused = threads.submit(this::run);
        }
    }

    /** How many requests were sent, repeated ones and those that were never answered included. */
    long sent() {
        return sent.get();
    }

    /** How many answers were given again. */
    long replayed() {
        return replayed.get();
    }

    /** What was not as it must be. */
    List<String> objections() {
        return List.copyOf(objections);
    }

    /** Whether every order is answered. */
    boolean finished() {
        Throwable broken = failure.get();
        if (broken != null) {
            throw new IllegalStateException("a client failed", broken);
        }
        return running.get() == 0;
    }

    private void run() {
        try {
            for (int i = next.getAndIncrement(); i < plan.orders().size(); i = next.getAndIncrement()) {
                pace.await(i + 1L);
                place(plan.orders().get(i));
                repeat(waitingLater.get() > LATER);
            }
            while (repeat(true)) {
                // What is left of those that come again some time later.
            }
            running.decrementAndGet();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private void place(PlannedOrder order) throws InterruptedException, ExecutionException {
        switch (order.behaviour()) {
            case ONCE -> accept(order);
            case REPEATED -> {
                String answer = accept(order);
                compare(order, answer, accept(order));
                later.add(new Answered(order, answer));
                waitingLater.incrementAndGet();
            }
            case CONCURRENT -> acceptTogether(order);
            case FAILED_FIRST -> {
                fail(order);
                accept(order);
            }
            case GIVEN_UP -> fail(order);
        }
    }

    private boolean repeat(boolean due) throws InterruptedException {
        Answered answered = due ? later.poll() : null;
        if (answered == null) {
            return false;
        }
        waitingLater.decrementAndGet();
        compare(answered.order(), answered.answer(), accept(answered.order()));
        return true;
    }

    private void acceptTogether(PlannedOrder order) throws InterruptedException, ExecutionException {
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < TOGETHER; i++) {
            Callable<String> request = () -> accept(order);
            answers.add(threads.submit(request));
        }
        String first = answers.get(0).get();
        for (Future<String> answer : answers) {
            compare(order, first, answer.get());
        }
    }

    private void compare(PlannedOrder order, String first, String again) {
        if (!first.equals(again)) {
            objections.add(order.reference() + " was answered " + first + ", and then " + again);
        }
    }

    /** Sends it until it is accepted, and returns the answer. */
    private String accept(PlannedOrder order) throws InterruptedException {
        while (true) {
            HttpResponse<String> response = send(order, null);
            if (response != null && response.statusCode() == CREATED) {
                if (response.headers().firstValue("Idempotent-Replayed").isPresent()) {
                    replayed.incrementAndGet();
                }
                return response.body();
            }
            if (response != null && response.statusCode() < FAILED && response.statusCode() != CONFLICT) {
                throw new IllegalStateException(
                        order + " was answered " + response.statusCode() + ": " + response.body());
            }
            pause();
        }
    }

    /** Sends it until the service has failed behind its writes, or otherwise: it is never accepted by this. */
    private void fail(PlannedOrder order) throws InterruptedException {
        while (true) {
            HttpResponse<String> response = send(order, order.failure());
            if (response != null && response.statusCode() == FAILED) {
                return;
            }
            if (response != null && response.statusCode() < FAILED && response.statusCode() != CONFLICT) {
                objections.add(order.reference() + " was to fail and was answered " + response.statusCode());
                return;
            }
            pause();
        }
    }

    /** Null where there was no answer. */
    private @Nullable HttpResponse<String> send(PlannedOrder order, @Nullable String failing)
            throws InterruptedException {
        sent.incrementAndGet();
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + Files.readString(portFile) + OrdersServer.PATH))
                    .timeout(TIMEOUT)
                    .header("Idempotency-Key", '"' + order.key() + '"')
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(order.body()));
            if (failing != null) {
                request.header(OrdersServlet.FAILURE, failing);
            }
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            return null;
        }
    }

    private static void pause() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(1 + ThreadLocalRandom.current().nextInt(LONGEST_PAUSE_MILLIS));
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
