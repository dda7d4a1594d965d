package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Infrastructure errors: no attempt is counted, nothing is lost, and nothing goes on for ever. */
abstract class TransientTests<C extends HandlerContext> extends InboxLab<C> {
    private static final int MORE_RUNS_THAN_ANY_BOUND = 50;

    TransientTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private static void serializationFailure() {
        throw new StoreException(ErrorClass.RETRY_NOW, "could not serialize access", null);
    }

    private static void connectionLost() {
        throw new StoreUnavailableException("the database is away", null);
    }

    private static void commitUnknown() {
        throw new OutcomeUnknownException("the connection was lost after COMMIT was sent", null);
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_CLAIM", "AFTER_CLAIM", "BEFORE_FLUSH", "AFTER_FLUSH", "BEFORE_COMMIT"})
    void serializationFailureCostsNoAttempt(CrashPoint point) {
        List<Message> messages = messages(10);
        plan.at(point, 1, TransientTests::serializationFailure);

        assertThat(kinds(writing().process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
        assertThat(fixture.parked(consumer)).isEmpty();
    }

    /** The one that stands then is that of the message before: to go back to it would lose what that message did. */
    @ParameterizedTest
    @EnumSource
    void savepointThatCannotBeSetUndoesNothingOfTheMessageBefore(ErrorClass errorClass) {
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            if (payload.equals("3") || payload.equals("8")) {
                throw new IllegalStateException("with a second failure each message runs under a savepoint");
            }
        });
        plan.at(CrashPoint.BEFORE_SAVEPOINT, 2, () -> {
            throw new StoreException(errorClass, "the savepoint could not be set", null);
        });

        List<Outcome> outcomes = inbox.process(messages(10));

        assertThat(plan.passages(CrashPoint.BEFORE_SAVEPOINT)).isGreaterThan(2);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "1", "2", "4", "5", "6", "7", "9");
        for (int i = 0; i < outcomes.size(); i++) {
            assertThat(outcomes.get(i).kind()).isEqualTo(i == 3 || i == 8 ? Kind.PARKED : Kind.PROCESSED);
        }
        assertThat(fixture.parked(consumer)).extracting(StoredMessage::attempts).containsOnly(1);
    }

    @Test
    void transientErrorsOfAHandlerCostNoAttemptWhileTheyPass() {
        AtomicInteger calls = new AtomicInteger();
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            if (payload.equals("3") && calls.incrementAndGet() <= 2) {
                serializationFailure();
            }
        });

        assertThat(kinds(inbox.process(messages(10)))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void transientErrorThatDoesNotPassIsTheFailureOfTheMessageThatRaisesIt() {
        AtomicInteger calls = new AtomicInteger();
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            if (payload.equals("3")) {
                calls.incrementAndGet();
                serializationFailure();
            }
        });

        List<Outcome> outcomes = inbox.process(messages(10));

        assertThat(outcomes.get(3).kind()).isEqualTo(Kind.PARKED);
        assertThat(fixture.effects()).hasSize(9).doesNotHaveDuplicates().doesNotContain("3");
        assertThat(fixture.parked(consumer)).extracting(StoredMessage::attempts).containsExactly(1);
        assertThat(calls).hasValueLessThan(MORE_RUNS_THAN_ANY_BOUND);
    }

    @Test
    void transientErrorOfTheStoreItselfIsBoundedAndNobodysFailure() {
        List<Message> messages = messages(3);
        Inbox<C> inbox = writing();
        plan.always(CrashPoint.BEFORE_CLAIM, TransientTests::serializationFailure);

        assertThatThrownBy(() -> inbox.process(messages)).isInstanceOf(RetryableException.class);
        assertThat(transactions()).isLessThan(MORE_RUNS_THAN_ANY_BOUND);
        assertThat(fixture.parked(consumer)).isEmpty();

        plan.calm();
        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.PROCESSED);
    }

    @Test
    void unreachableStoreIsToldAndNothingCounted() {
        List<Message> messages = messages(3);
        Inbox<C> inbox = writing();
        plan.always(CrashPoint.BEFORE_BEGIN, TransientTests::connectionLost);

        assertThatThrownBy(() -> inbox.process(messages)).isInstanceOf(StoreUnavailableException.class);

        plan.calm();
        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "1", "2");
        assertThat(fixture.parked(consumer)).isEmpty();
    }

    @Test
    void connectionThatIsLostWhileTheDatabaseIsThereIsReplaced() {
        List<Message> messages = messages(10);
        plan.at(CrashPoint.AFTER_FLUSH, 1, () -> {
            throw new StoreException(ErrorClass.UNAVAILABLE, "the connection was lost", null);
        });

        assertThat(kinds(writing().process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
        assertThat(fixture.parked(consumer)).isEmpty();
    }

    @Test
    void unknownOutcomeOfACommitThatHappenedIsSettledByTheNextDelivery() {
        List<Message> messages = messages(5);
        Inbox<C> inbox = writing();
        plan.at(CrashPoint.AFTER_COMMIT, 1, TransientTests::commitUnknown);

        assertThatThrownBy(() -> inbox.process(messages)).isInstanceOf(OutcomeUnknownException.class);

        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
        assertThat(fixture.parked(consumer)).isEmpty();
    }

    @Test
    void unknownOutcomeOfACommitThatDidNotHappenIsSettledByTheNextDelivery() {
        List<Message> messages = messages(5);
        Inbox<C> inbox = writing();
        plan.at(CrashPoint.BEFORE_COMMIT, 1, TransientTests::commitUnknown);

        assertThatThrownBy(() -> inbox.process(messages)).isInstanceOf(OutcomeUnknownException.class);

        assertThat(fixture.effects()).isEmpty();
        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
        assertThat(fixture.parked(consumer)).isEmpty();
    }

    @Test
    void unknownOutcomeIsNotToldToListeners() {
        List<Kind> told = new ArrayList<>();
        Inbox<C> inbox = builder(this::write)
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message message, Outcome outcome) {
                        told.add(outcome.kind());
                    }
                })
                .build();
        plan.at(CrashPoint.BEFORE_COMMIT, 1, TransientTests::commitUnknown);
        Message message = message("x");
        assertThatThrownBy(() -> inbox.process(message)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(told).isEmpty();

        inbox.process(message);
        assertThat(told).containsExactly(Kind.PROCESSED);
    }

    @Test
    @Tag("B11")
    void batchThatIsTooLongInWorkIsReportedOnceAndGoesOn() throws Exception {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<String> told = new CopyOnWriteArrayList<>();
        Inbox<C> inbox = builder((payload, context) -> {
                    inWork.countDown();
                    assertThat(goOn.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS))
                            .isTrue();
                    fixture.write(context, payload);
                })
                .slowBatch(Duration.ofMillis(1))
                .listener(new InboxListener() {
                    @Override
                    public void onSlowBatch(String name, Duration duration) {
                        told.add(name);
                    }
                })
                .build();
        Future<Outcome> processed = threads.start(() -> inbox.process(message("x")));
        assertThat(inWork.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();

        while (told.isEmpty()) {
            inbox.forNodes().lookAtBatches();
        }
        inbox.forNodes().lookAtBatches();
        assertThat(told).containsExactly(consumer);
        goOn.countDown();
        assertThat(Threads.result(processed).kind()).isEqualTo(Kind.PROCESSED);
        inbox.forNodes().lookAtBatches();
        assertThat(told).hasSize(1);
    }

    @Test
    void rollbacksAreToldToListeners() {
        List<String> told = new ArrayList<>();
        Inbox<C> inbox = builder(this::write)
                .listener(new InboxListener() {
                    @Override
                    public void onRollback(String name, int messages, Throwable cause) {
                        told.add(messages + ": " + cause.getMessage());
                    }
                })
                .build();
        plan.at(CrashPoint.BEFORE_COMMIT, 1, TransientTests::serializationFailure);

        inbox.process(messages(7));

        assertThat(told).containsExactly("7: could not serialize access");
    }
}
