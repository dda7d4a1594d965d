package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.contract.BrokerFixture.Ability;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Whatever happens to the database or the broker: nothing is lost, nothing takes effect twice, and it goes on by itself. */
abstract class SourceFailureTests<C extends HandlerContext> extends SourceLab<C> {
    private static final int MANY = 400;

    SourceFailureTests(Supplier<BrokerFixture> brokers, Supplier<StoreFixture<C>> stores) {
        super(brokers, stores);
    }

    private void loseTheDatabase() {
        plan.always(CrashPoint.BEFORE_BEGIN, () -> {
            throw new StoreUnavailableException("the test says so", null);
        });
    }

    /** A source may also commit what is no batch, such as where a log begins. */
    private void afterTheCommitOfBatch(int number, Runnable action) {
        plan.at(
                CrashPoint.AFTER_FLUSH,
                number,
                () -> plan.at(CrashPoint.AFTER_COMMIT, plan.passages(CrashPoint.AFTER_COMMIT) + 1, action));
    }

    @Test
    void whatIsNotCommittedIsDeliveredAgain() {
        List<Message> messages = keyed(100, 7);
        loseTheDatabase();
        Source source = run(writing());
        queue.send(messages);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        closeNodes();
        plan.calm();
        assertThat(fixture.effects()).isEmpty();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(queue.left(consumer)).isEqualTo(100));
        run(writing());
        assertAllTookEffectOnce(messages);
    }

    @Test
    void databaseThatGoesAwayCostsNoAttempt() {
        List<Message> messages = keyed(MANY, 13);
        Source source = run(writing());
        queue.send(messages.subList(0, 100));
        awaitEffects(1);
        loseTheDatabase();
        queue.send(messages.subList(100, MANY));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        plan.calm();
        awaitEffects(MANY);
        // The effects are there before the delivery thread that made the last of them knows that it waits no more.
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.RUNNING);
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(fixture.deadLetters(consumer)).isEmpty();
        assertAllTookEffectOnce(messages);
    }

    /** Cut, frozen or restarted just after a commit, the broker does not hear of it, or not in time. */
    @TestFactory
    Stream<DynamicTest> whatIsCommittedAndNotAcknowledgedIsADuplicate() {
        return where(Ability.CUT, () -> {
            List<Message> messages = keyed(MANY, 13);
            afterTheCommitOfBatch(1, broker::cut);
            afterTheCommitOfBatch(3, broker::cut);
            queue.send(messages);
            Inbox<C> inbox = writing();
            Source source = run(inbox);
            awaitEffects(MANY);
            assertThat(source.failure()).isNull();
            takeTheRest(inbox);
            assertAllTookEffectOnce(messages);
        });
    }

    @TestFactory
    Stream<DynamicTest> connectionsThatAreCutInTheMiddleOfABatchAreMadeAnew() {
        return where(Ability.CUT, () -> {
            List<Message> messages = keyed(MANY, 13);
            plan.at(CrashPoint.BEFORE_FLUSH, 1, broker::cut);
            plan.at(CrashPoint.BEFORE_FLUSH, 4, broker::cut);
            Inbox<C> inbox = writing();
            Source source = run(inbox);
            queue.send(messages.subList(0, MANY / 2));
            awaitEffects(MANY / 4);
            broker.cut();
            queue.send(messages.subList(MANY / 2, MANY));
            awaitEffects(MANY);
            assertThat(source.failure()).isNull();
            takeTheRest(inbox);
            assertAllTookEffectOnce(messages);
        });
    }

    @TestFactory
    Stream<DynamicTest> brokerThatIsFrozenInTheMiddleOfABatchIsOutlasted() {
        return where(Ability.FREEZE, () -> {
            List<Message> messages = keyed(MANY, 13);
            plan.at(CrashPoint.BEFORE_FLUSH, 1, broker::freeze);
            Inbox<C> inbox = writing();
            Source source = run(inbox);
            queue.send(messages.subList(0, MANY / 2));
            awaitEffects(1);
            queue.send(messages.subList(MANY / 2, MANY));
            broker.thaw();
            awaitEffects(MANY);
            assertThat(source.failure()).isNull();
            takeTheRest(inbox);
            assertAllTookEffectOnce(messages);
        });
    }

    @TestFactory
    Stream<DynamicTest> brokerThatIsRestartedInTheMiddleOfABatchIsFoundAgain() {
        return where(Ability.RESTART, () -> {
            List<Message> messages = keyed(MANY, 13);
            queue.send(messages);
            plan.at(CrashPoint.BEFORE_FLUSH, 1, broker::restart);
            Inbox<C> inbox = writing();
            Source source = run(inbox);
            awaitEffects(MANY);
            assertThat(source.failure()).isNull();
            takeTheRest(inbox);
            assertAllTookEffectOnce(messages);
        });
    }
}
