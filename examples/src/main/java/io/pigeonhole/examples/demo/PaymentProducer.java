package io.pigeonhole.examples.demo;

import io.pigeonhole.examples.demo.Sending.Route;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Sends what the plan says with two producers, on a thread of its own, as fast as the pace allows. Every message is
 * confirmed by the broker before {@link #finished()} becomes true; one that is refused ends the run.
 */
final class PaymentProducer implements AutoCloseable {
    static final String TYPE = "payment.requested";

    private static final long JOIN_MILLIS = 5_000;

    private final PaymentPlan plan;
    private final PaymentIds ids;
    private final Pace pace;
    private final boolean paceCountsDuplicates;
    private final Broker broker;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Thread thread = new Thread(this::run, "producer");
    private volatile boolean finished;
    private final AtomicInteger sent = new AtomicInteger();

    PaymentProducer(PaymentPlan plan, PaymentIds ids, Pace pace, boolean paceCountsDuplicates, Broker broker) {
        this.plan = plan;
        this.ids = ids;
        this.pace = pace;
        this.paceCountsDuplicates = paceCountsDuplicates;
        this.broker = broker;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** How many messages were handed to the producers so far. */
    int sent() {
        return sent.get();
    }

    /** Whether the broker has all messages. */
    boolean finished() {
        Exception broken = failure.get();
        if (broken != null) {
            throw new IllegalStateException("a producer failed", broken);
        }
        return finished;
    }

    private void run() {
        try (PaymentSender first = broker.sender("first-producer", this::fail);
                PaymentSender second = broker.sender("second-producer", this::fail)) {
            long counted = 0;
            for (Sending sending : plan.sendings()) {
                if (paceCountsDuplicates || sending.route() == Route.FIRST) {
                    pace.await(++counted);
                }
                send(sending, first, second);
            }
            first.flush();
            second.flush();
            finished = true;
        } catch (InterruptedException | RuntimeException e) {
            fail(e);
        }
    }

    private void fail(Exception e) {
        failure.compareAndSet(null, e);
    }

    private void send(Sending sending, PaymentSender first, PaymentSender second) {
        Payment payment = plan.payment(sending.payment());
        String key = sending.route() == Route.SECOND_PRODUCER_WITHOUT_KEY ? null : Long.toString(payment.account());
        boolean byFirst = sending.route() == Route.FIRST || sending.route() == Route.AGAIN;
        (byFirst ? first : second).send(ids.of(sending.payment()).toString(), key, plan.payload(sending.payment()));
        sent.incrementAndGet();
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
