package io.pigeonhole.examples.demo;

import io.pigeonhole.examples.demo.Sending.Route;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends what the plan says with two Kafka producers, on a thread of its own, as fast as the pace allows. Every record is
 * confirmed by the broker before {@link #finished()} becomes true; one that is refused ends the run.
 */
final class PaymentProducer implements AutoCloseable {
    static final String ID_HEADER = "message-id";
    static final String TYPE_HEADER = "message-type";
    static final String TYPE = "payment.requested";

    private static final long JOIN_MILLIS = 5_000;

    private final PaymentPlan plan;
    private final PaymentIds ids;
    private final Pace pace;
    private final boolean paceCountsDuplicates;
    private final String bootstrapServers;
    private final String topic;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Thread thread = new Thread(this::run, "producer");
    private volatile boolean finished;
    private final AtomicInteger sent = new AtomicInteger();

    PaymentProducer(
            PaymentPlan plan,
            PaymentIds ids,
            Pace pace,
            boolean paceCountsDuplicates,
            String bootstrapServers,
            String topic) {
        this.plan = plan;
        this.ids = ids;
        this.pace = pace;
        this.paceCountsDuplicates = paceCountsDuplicates;
        this.bootstrapServers = bootstrapServers;
        this.topic = topic;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** How many records were handed to the producers so far. */
    int sent() {
        return sent.get();
    }

    /** Whether all records are in Kafka. */
    boolean finished() {
        Exception broken = failure.get();
        if (broken != null) {
            throw new IllegalStateException("a producer failed", broken);
        }
        return finished;
    }

    private void run() {
        try (Producer<String, String> first = producer("first");
                Producer<String, String> second = producer("second")) {
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
        } catch (InterruptedException e) {
            failure.compareAndSet(null, e);
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private void send(Sending sending, Producer<String, String> first, Producer<String, String> second) {
        Payment payment = plan.payment(sending.payment());
        UUID id = ids.of(sending.payment());
        String key = sending.route() == Route.SECOND_PRODUCER_WITHOUT_KEY ? null : Long.toString(payment.account());
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, key, plan.payload(sending.payment()));
        record.headers().add(ID_HEADER, id.toString().getBytes(StandardCharsets.UTF_8));
        record.headers().add(TYPE_HEADER, TYPE.getBytes(StandardCharsets.UTF_8));
        boolean byFirst = sending.route() == Route.FIRST || sending.route() == Route.AGAIN;
        Future<RecordMetadata> unused = (byFirst ? first : second).send(record, (metadata, exception) -> {
            if (exception != null) {
                failure.compareAndSet(null, exception);
            }
        });
        sent.incrementAndGet();
    }

    private Producer<String, String> producer(String name) {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.CLIENT_ID_CONFIG,
                        name + "-producer",
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.LINGER_MS_CONFIG,
                        2),
                new StringSerializer(),
                new StringSerializer());
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
