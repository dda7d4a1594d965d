package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** While a broker takes nothing a publisher says so in time, and what it has given up it does not send later. */
abstract class PublisherOutageTests<C extends HandlerContext> extends PublisherLab<C> {
    private static final int LARGE = 64 << 10;
    private static final int MORE_THAN_FITS = 16 << 20;

    PublisherOutageTests(Supplier<PublisherFixture> publishing, Supplier<StoreFixture<C>> stores) {
        super(publishing, stores);
    }

    private void assertUnavailableInTime(List<Message> messages) {
        long begin = System.nanoTime();
        List<Publication> outcomes = publisher.publish(messages, SHORT);
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        assertThat(outcomes).hasSize(messages.size()).allMatch(outcome -> outcome instanceof Publication.Unavailable);
        assertThat(took).isLessThan(SHORT.plus(MARGIN));
    }

    /** What comes is this message alone. */
    private void assertOnlyThisComes(Message message) {
        takeMessages();
        received(1);
        takeTheRest();
        assertThat(ids(received(1))).containsExactly(idOf(message));
    }

    @Test
    void brokerThatWasNeverThereIsUnavailableAndWorksWhenItComes() {
        fixture.leave();
        assertUnavailableInTime(messages(3));
        fixture.comeBack();
        Message later = message();
        awaitConfirmed(later);
        assertOnlyThisComes(later);
    }

    @Test
    void brokerThatGoesAwayIsUnavailableAndWorksWhenItIsBack() {
        Message before = message();
        assertConfirmed(before);
        fixture.leave();
        assertUnavailableInTime(messages(3));
        assertUnavailableInTime(messages(1));
        fixture.comeBack();
        Message later = message();
        awaitConfirmed(later);
        takeMessages();
        received(2);
        takeTheRest();
        assertThat(ids(received(2))).containsExactlyInAnyOrder(idOf(before), idOf(later));
    }

    @Test
    void brokerThatDoesNotAnswerIsUnavailableAndWorksWhenItIsBack() {
        Message before = message();
        assertConfirmed(before);
        fixture.freeze();
        assertUnavailableInTime(messages(3));
        fixture.comeBack();
        Message later = message();
        awaitConfirmed(later);
        takeMessages();
        received(2);
        takeTheRest();
        assertThat(ids(received(2))).containsExactlyInAnyOrder(idOf(before), idOf(later));
    }

    /** What is more than fits on the way keeps a client from writing the rest. */
    @Test
    void brokerThatReadsNothingHoldsUpNobodyLongerThanThereIsTime() {
        assertConfirmed(message());
        fixture.freeze();
        byte[] payload = new byte[LARGE];
        assertUnavailableInTime(Stream.generate(() -> builder().payload(payload).build())
                .limit(MORE_THAN_FITS / LARGE)
                .toList());
        fixture.comeBack();
        awaitConfirmed(message());
    }

    @Test
    void interruptEndsThePublishing() throws Exception {
        assertConfirmed(message());
        fixture.freeze();
        CountDownLatch beginning = new CountDownLatch(1);
        Thread[] publishing = new Thread[1];
        Future<List<Publication>> outcomes = threads.start(() -> {
            publishing[0] = Thread.currentThread();
            beginning.countDown();
            List<Publication> result = publisher.publish(messages(3), Duration.ofMinutes(2));
            assertThat(Thread.currentThread().isInterrupted())
                    .as("the thread is still interrupted")
                    .isTrue();
            return result;
        });
        assertThat(beginning.await(MARGIN.toSeconds(), TimeUnit.SECONDS)).isTrue();
        publishing[0].interrupt();
        assertThat(outcomes.get(MARGIN.toSeconds() * 2, TimeUnit.SECONDS))
                .hasSize(3)
                .allMatch(outcome -> outcome instanceof Publication.Unavailable);
    }

    @Test
    void publisherWorksBehindAThreadThatWasInterruptedBefore() throws Exception {
        List<Message> sent = messages(3);
        Future<List<Publication>> outcomes = threads.start(() -> {
            Thread.currentThread().interrupt();
            return publisher.publish(sent, LONG);
        });
        assertThat(outcomes.get(MARGIN.toSeconds() * 2, TimeUnit.SECONDS)).hasSize(3);
        Message later = message();
        awaitConfirmed(later);
    }
}
