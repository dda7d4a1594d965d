package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.testkit.contract.PublisherFixture.Ability;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a broker does not take for its own sake is refused, and holds up nothing. */
abstract class PublisherRefusalTests<C extends HandlerContext> extends PublisherLab<C> {
    PublisherRefusalTests(Supplier<PublisherFixture> publishing, Supplier<StoreFixture<C>> stores) {
        super(publishing, stores);
    }

    private static void assertRefused(Publication outcome) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Publication.Refused.class,
                        refused -> assertThat(refused.cause()).hasMessageMatching("(?s).{10,}"));
    }

    @Test
    void messageThatTheBrokerDoesNotTakeIsRefused() {
        assertRefused(publish(fixture.refusable()));
    }

    @Test
    void refusedMessageKeepsNoOtherOfItsCallFromBeingConfirmed() {
        List<Message> good = messages(24);
        List<Message> sent = new ArrayList<>(good);
        sent.add(12, fixture.refusable());
        List<Publication> outcomes = new ArrayList<>(publisher.publish(sent, LONG));
        assertRefused(outcomes.remove(12));
        assertThat(outcomes).hasSize(good.size()).allMatch(outcome -> outcome instanceof Publication.Confirmed);
        takeMessages();
        received(good.size());
        takeTheRest();
        assertThat(ids(received(good.size()))).containsExactlyInAnyOrderElementsOf(ids(good));
    }

    @Test
    void refusedMessageKeepsNoLaterCallFromBeingConfirmed() {
        Message good = message();
        assertRefused(publish(fixture.refusable()));
        assertConfirmed(good);
        assertRefused(publish(fixture.refusable()));
        takeMessages();
        assertThat(ids(received(1))).containsExactly(idOf(good));
    }

    @TestFactory
    Stream<DynamicTest> messageThatNothingTakesIsRefused() {
        return Stream.of(Ability.UNROUTABLE)
                .filter(this::can)
                .map(ability -> DynamicTest.dynamicTest("where the broker can do " + ability, StoreLab.bounded(() -> {
                    List<Publication> outcomes = fixture.unroutable().publish(messages(3), LONG);
                    assertThat(outcomes).hasSize(3).allSatisfy(PublisherRefusalTests::assertRefused);
                })));
    }
}
