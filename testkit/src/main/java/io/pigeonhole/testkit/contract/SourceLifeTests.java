package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Sources begin and end. */
abstract class SourceLifeTests<C extends HandlerContext> extends SourceLab<C> {
    SourceLifeTests(Supplier<BrokerFixture> brokers, Supplier<StoreFixture<C>> stores) {
        super(brokers, stores);
    }

    @Test
    void sourceTellsWhatItIsDoing() {
        Inbox<C> inbox = writing();
        Source source = queue.source(inbox);
        assertThat(source.state()).isEqualTo(SourceState.NEW);
        assertThat(source.inbox()).isSameAs(inbox);
        assertThat(source.name()).contains(consumer).contains(queue.name());
        source.start();
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.RUNNING);
        assertThat(source.failure()).isNull();
        source.close();
        assertThat(source.state()).isEqualTo(SourceState.CLOSED);
        source.close();
        assertThat(source.state()).isEqualTo(SourceState.CLOSED);
        assertThat(source.failure()).isNull();
    }

    @Test
    void sourceThatWasNeverStartedCanBeClosed() {
        Source source = queue.source(writing());
        source.close();
        assertThat(source.state()).isEqualTo(SourceState.CLOSED);
        assertThatThrownBy(source::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(consumer);
    }

    @Test
    void sourceIsStartedOnce() {
        Source source = run(writing());
        assertThatThrownBy(source::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(consumer);
    }

    @Test
    void closingWaitsForWhatIsInWorkAndLeavesTheRest() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Source source = run(builder()
                .handle(TYPE, PayloadDecoder.text(), (payload, context) -> {
                    begun.countDown();
                    if (!goOn.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                        throw new IllegalStateException("nobody let the handler go on");
                    }
                    write(payload, context);
                })
                .build());
        List<Message> messages = keyed(1, 1);
        queue.send(messages);
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        Thread closing = new Thread(source::close, "closing");
        closing.start();
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.CLOSED);
        assertThat(fixture.effects()).isEmpty();
        goOn.countDown();
        closing.join(PATIENCE.toMillis());
        assertThat(closing.isAlive()).isFalse();
        assertThat(fixture.effects()).containsExactly("0");
        assertNothingIsLeft();
    }

    @Test
    void nextSourceGoesOnWhereThisOneEnded() {
        List<Message> messages = keyed(300, 11);
        queue.send(messages);
        run(writing());
        awaitEffects(1);
        closeNodes();
        run(writing());
        assertAllTookEffectOnce(messages);
    }
}
