package io.pigeonhole.kafka;

import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The producer that the threads of a publisher share. One that could still send what is given up is closed, which fails everything
 * that is under way in it, and the next call makes another. Safe for use by many threads.
 */
final class SharedProducer {
    private static final Logger log = LoggerFactory.getLogger(SharedProducer.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final Supplier<Producer<byte[], byte[]>> factory;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Producer<byte[], byte[]> current;
    private boolean closed;

    SharedProducer(Supplier<Producer<byte[], byte[]>> factory) {
        this.factory = factory;
    }

    /**
     * The producer, which is made where there is none.
     *
     * @throws RuntimeException if it cannot be made, or not in time
     */
    Producer<byte[], byte[]> get(long nanos) throws InterruptedException {
        if (!lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
            throw new TimeoutException("another thread is still making the producer");
        }
        try {
            if (closed) {
                throw new IllegalStateException("the publisher is closed; make another one");
            }
            Producer<byte[], byte[]> producer = current;
            if (producer == null) {
                producer = factory.get();
                current = producer;
            }
            return producer;
        } finally {
            lock.unlock();
        }
    }

    /** Closes this producer at once: it sends nothing any more when this returns, whichever thread was the first to close it. */
    void discard(Producer<byte[], byte[]> producer) {
        lock.lock();
        try {
            if (current == producer) {
                current = null;
                close(producer);
            }
        } finally {
            lock.unlock();
        }
    }

    /** On a thread that nobody interrupts: an interrupt keeps the client from waiting for its own thread. */
    private static void close(Producer<byte[], byte[]> producer) {
        Thread closing = new Thread(() -> closeNow(producer), "pigeonhole-kafka-publisher-close");
        closing.setDaemon(true);
        closing.start();
        if (!BoundedWait.join(closing, CLOSE_TIMEOUT)) {
            log.warn("the Kafka producer does not close; what it holds it may still send");
        }
    }

    private static void closeNow(Producer<byte[], byte[]> producer) {
        try {
            producer.close(Duration.ZERO);
        } catch (RuntimeException e) {
            log.debug("the Kafka producer failed to close", e);
        }
    }

    /** No producer is made any more. */
    void close() {
        lock.lock();
        try {
            closed = true;
            if (current != null) {
                close(current);
                current = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
