package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BlockedCallback;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.RecoverableConnection;
import com.rabbitmq.client.UnblockedCallback;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publication.Unavailable;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Connections that cannot be used, with those that a test makes. */
class RabbitPublisherTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(100);

    private final AtomicInteger channels = new AtomicInteger();
    private final AtomicReference<UnblockedCallback> unblocked = new AtomicReference<>();

    private static RabbitPublisher publisher(ConnectionOpener opener) {
        return RabbitPublisher.builder(new ConnectionFactory(), "orders")
                .connectionOpener(opener)
                .build();
    }

    private static Publication publish(RabbitPublisher publisher, Duration timeout) {
        Message message =
                Message.builder("sent").id("id").type("t").payload("x").build();
        List<Publication> outcomes = publisher.publish(List.of(message), timeout);
        assertThat(outcomes).hasSize(1);
        return outcomes.get(0);
    }

    private static void assertUnavailable(Publication outcome, String why) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        unavailable -> assertThat(unavailable.cause()).hasMessageContaining(why));
    }

    /** One on which the broker has blocked its publishers from the beginning. */
    private Connection blocked(Class<? extends Connection> type) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "addBlockedListener" -> {
                            ((BlockedCallback) arguments[0]).handle("low on memory");
                            unblocked.set((UnblockedCallback) arguments[1]);
                            return null;
                        }
                        case "createChannel" -> {
                            channels.incrementAndGet();
                            throw new IOException("no channel in this test");
                        }
                        case "isOpen" -> {
                            return true;
                        }
                        default -> {
                            return null;
                        }
                    }
                });
    }

    @Test
    void brokerThatHasBlockedItsPublishersIsSentNothingUntilItUnblocksThem() throws Exception {
        try (RabbitPublisher publisher = publisher((factory, name) -> blocked(Connection.class))) {
            assertUnavailable(publish(publisher, LONG), "low on memory");
            assertThat(channels).hasValue(0);
            Objects.requireNonNull(unblocked.get()).handle();
            assertUnavailable(publish(publisher, LONG), "no channel");
            assertThat(channels).hasValue(1);
        }
    }

    @Test
    void connectionThatRecoversByItselfIsRefused() {
        try (RabbitPublisher publisher = publisher((factory, name) -> blocked(RecoverableConnectionOfTests.class))) {
            assertUnavailable(publish(publisher, LONG), "recovers by itself");
        }
    }

    /** A proxy needs one interface. */
    private interface RecoverableConnectionOfTests extends RecoverableConnection {}

    @Test
    void connectionThatIsOpenedTooLateIsUsedByTheNextCall() {
        CountDownLatch opening = new CountDownLatch(1);
        AtomicInteger opened = new AtomicInteger();
        try (RabbitPublisher publisher = publisher((factory, name) -> {
            opened.incrementAndGet();
            try {
                opening.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return blocked(Connection.class);
        })) {
            assertUnavailable(publish(publisher, SHORT), "no connection within the time");
            opening.countDown();
            assertUnavailable(publish(publisher, LONG), "low on memory");
            assertThat(opened).hasValue(1);
        }
    }

    @Test
    void connectionThatCannotBeOpenedIsTriedAgainAtTheNextCall() {
        AtomicInteger opened = new AtomicInteger();
        try (RabbitPublisher publisher = publisher((factory, name) -> {
            if (opened.incrementAndGet() == 1) {
                throw new IOException("the broker is away");
            }
            return blocked(Connection.class);
        })) {
            assertUnavailable(publish(publisher, LONG), "the broker is away");
            assertUnavailable(publish(publisher, LONG), "low on memory");
        }
    }
}
