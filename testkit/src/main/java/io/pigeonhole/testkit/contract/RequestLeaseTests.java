package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.core.idempotency.IdempotencyTransaction;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.LeaseLostException;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestIdentity;
import io.pigeonhole.core.idempotency.RequestOutcome;
import io.pigeonhole.core.idempotency.ResponseProtection;
import io.pigeonhole.core.idempotency.StepHandler;
import io.pigeonhole.core.idempotency.Steps;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Who may go on with a request in steps, and with what. */
abstract class RequestLeaseTests<C extends HandlerContext> extends RequestLab<C> {
    private static final RequestOutcome IN_PROGRESS = new RequestOutcome.InProgress(Duration.ofSeconds(1));
    private static final Author BEN = new Author("ben", "stuck");

    /** The keys that the other system has seen. */
    private final List<String> calls = new ArrayList<>();

    RequestLeaseTests(Supplier<StoreFixture<C>> fixtures, Function<StoreFixture<C>, IdempotencyStore<C>> stores) {
        super(fixtures, stores);
    }

    private void local(Steps<C> steps, String step) throws Exception {
        steps.inTransaction(step, context -> {
            fixture.write(context, step);
            return step.getBytes(StandardCharsets.UTF_8);
        });
    }

    private void charge(Steps<C> steps) throws Exception {
        steps.foreign("charge", key -> {
            calls.add(key);
            return new byte[] {1};
        });
    }

    private StepHandler<C> payment() {
        return steps -> {
            charge(steps);
            local(steps, "receipt");
            return Reply.commit(response("paid"));
        };
    }

    private StepHandler<C> never() {
        return steps -> {
            throw new AssertionError("the handler ran");
        };
    }

    private StepHandler<C> failingBehind(String step) {
        return steps -> {
            local(steps, step);
            throw new IllegalStateException("timeout");
        };
    }

    private void leaveBehind(String step, RequestIdentity identity) {
        assertThatThrownBy(() -> node.handleInSteps(request(identity, "10 EUR"), failingBehind(step)))
                .hasMessage("timeout");
    }

    private static StoredResponse status(int status) {
        return new StoredResponse(status, Headers.none(), new byte[0]);
    }

    @Test
    void holderOfALeaseWritesNothingMoreOnceItHasRunOut() throws Exception {
        RequestOutcome late = node.handleInSteps(request("a"), steps -> {
            charge(steps);
            fixture.advance(Duration.ofMinutes(2));
            assertThatThrownBy(() -> local(steps, "receipt")).isInstanceOf(LeaseLostException.class);
            return Reply.commit(response("late"));
        });

        assertThat(late).isEqualTo(IN_PROGRESS);
        assertThat(fixture.effects()).isEmpty();
        assertExecuted(other.handleInSteps(request("a"), payment()), "paid");
        assertThat(calls).hasSize(1);
    }

    @Test
    void holderOfALeaseWritesNothingToTheRequestThatCameWhenItsOwnWasForgotten() throws Exception {
        RequestOutcome late = node.handleInSteps(request("a"), lateSteps -> {
            charge(lateSteps);
            fixture.advance(Duration.ofMinutes(2));
            assertThat(other.admin().forget(identity("a"), BEN).kind()).isEqualTo(Answer.Kind.DONE);
            RequestOutcome next = other.handleInSteps(request(identity("a"), "25 EUR"), steps -> {
                steps.foreign("charge", key -> {
                    assertThatThrownBy(() -> local(lateSteps, "receipt")).isInstanceOf(LeaseLostException.class);
                    return new byte[0];
                });
                return Reply.commit(response("of 25 EUR"));
            });
            assertExecuted(next, "of 25 EUR");
            return Reply.commit(response("of 10 EUR"));
        });

        assertThat(late).isEqualTo(IN_PROGRESS);
        assertThat(fixture.effects()).isEmpty();
        assertReplayed(node.handleInSteps(request(identity("a"), "25 EUR"), never()), "of 25 EUR");
    }

    /** Its foreign call may have happened: whoever took it over cannot know. */
    @Test
    void requestThatWasTakenOverStaysWhereItsNewHandlerFailsOrRefusesBeforeAnyStep() throws Exception {
        node.handleInSteps(request("a"), lateSteps -> {
            lateSteps.foreign("charge", key -> {
                calls.add(key);
                fixture.advance(Duration.ofMinutes(10));
                StepHandler<C> failing = steps -> {
                    throw new IllegalStateException("the configuration cannot be read");
                };
                assertThat(other.completeAbandoned(Map.of(OPERATION, failing), 10))
                        .isZero();
                assertThat(node.admin().find(identity("a"))).isPresent();
                other.handleInSteps(request("a"), steps -> Reply.rollBack(status(503)));
                assertThat(node.admin().find(identity("a"))).isPresent();
                return new byte[0];
            });
            return Reply.commit(response("late"));
        });

        assertExecuted(other.handleInSteps(request("a"), payment()), "paid");
        assertThat(calls).hasSize(2);
        assertThat(calls.get(1)).isEqualTo(calls.get(0));
    }

    @Test
    void stepsThatAreCommittedWhileOthersAreFinishedAreNotRepeated() throws Exception {
        leaveBehind("order", identity("first"));
        fixture.advance(Duration.ofMinutes(5));
        Map<String, StepHandler<C>> handlers = new HashMap<>();
        node.handleInSteps(request("second"), lateSteps -> {
            charge(lateSteps);
            fixture.advance(Duration.ofMinutes(5));
            handlers.put(OPERATION, steps -> {
                if ("first".equals(String.valueOf(steps.request().id()))) {
                    try {
                        local(lateSteps, "receipt");
                    } catch (LeaseLostException e) {
                        assertThat(fixture.effects()).containsExactly("order");
                    }
                    fixture.advance(Duration.ofSeconds(59));
                    return Reply.commit(response("first"));
                }
                return payment().handle(steps);
            });
            assertThat(other.completeAbandoned(handlers, 10)).isEqualTo(2);
            return Reply.commit(response("late"));
        });

        assertThat(fixture.effects()).containsExactly("order", "receipt");
        assertThat(calls).hasSize(1);
    }

    @Test
    void anotherSystemIsGivenAnotherKeyForAnotherRequest() throws Exception {
        node.handleInSteps(request("a"), payment());
        fixture.advance(Duration.ofHours(25));
        node.handleInSteps(request(identity("a"), "25 EUR"), payment());
        node.admin().forget(identity("a"), BEN);
        node.handleInSteps(request(identity("a"), "30 EUR"), payment());

        assertThat(calls).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void requestThatIsFinishedLateIsRememberedFromThenOn() throws Exception {
        leaveBehind("order", identity("a"));
        fixture.advance(Duration.ofDays(40));
        assertThat(other.completeAbandoned(Map.of(OPERATION, payment()), 10)).isEqualTo(1);

        fixture.advance(Duration.ofHours(23));
        assertThat(node.purge(10)).isZero();
        assertReplayed(node.handleInSteps(request("a"), never()), "paid");
        fixture.advance(Duration.ofHours(2));
        assertThat(node.purge(10)).isEqualTo(1);
    }

    @Test
    void abandonedRequestsOfOtherOperationsAreNotInTheWay() {
        leaveBehind("order", new RequestIdentity("retired", ANN, "a"));
        leaveBehind("order", new RequestIdentity("retired", ANN, "b"));
        fixture.advance(Duration.ofMinutes(1));
        leaveBehind("order", identity("a"));
        fixture.advance(Duration.ofMinutes(10));

        assertThat(other.completeAbandoned(Map.of(OPERATION, payment()), 2)).isEqualTo(1);
        assertThat(other.completeAbandoned(Map.of(), 2)).isZero();
    }

    @Test
    void requestOfTheSameProcessGoesOnWhenTheLeaseHasRunOut() throws Exception {
        List<RequestOutcome> meanwhile = new ArrayList<>();
        node.handleInSteps(request("a"), steps -> {
            meanwhile.add(node.handleInSteps(request("a"), never()));
            fixture.advance(Duration.ofMinutes(2));
            meanwhile.add(node.handleInSteps(request("a"), payment()));
            return Reply.commit(response("late"));
        });

        assertThat(meanwhile).containsExactly(IN_PROGRESS, new RequestOutcome.Executed(response("paid")));
        assertThat(node.counts().running()).isZero();
    }

    @Test
    void requestAndResultsAreProtectedWhileTheyAreStored() throws Exception {
        IdempotentRequests<C> secret = node(builder -> builder.protection(new Turning()));
        assertThatThrownBy(() -> secret.handleInSteps(request("a"), failingBehind("order")))
                .hasMessage("timeout");
        fixture.advance(Duration.ofMinutes(10));
        List<String> seen = new ArrayList<>();
        StepHandler<C> looking = steps -> {
            seen.add(new String(steps.request().payload(), StandardCharsets.UTF_8));
            seen.add(new String(steps.inTransaction("order", context -> new byte[0]), StandardCharsets.UTF_8));
            return Reply.rollBack(status(503));
        };
        other.completeAbandoned(Map.of(OPERATION, looking), 10);
        fixture.advance(Duration.ofMinutes(10));
        secret.completeAbandoned(Map.of(OPERATION, looking), 10);

        assertThat(seen).containsExactly("RUE 01", "redro", "10 EUR", "order");
    }

    @Test
    void requestThatANodeCannotReadIsLeftToTheOthers() throws Exception {
        leaveBehind("order", identity("a"));
        IdempotentRequests<C> withoutKey = node(builder -> builder.protection(new ResponseProtection() {
            @Override
            public byte[] protect(byte[] body) {
                return body;
            }

            @Override
            public byte[] unprotect(byte[] stored) {
                throw new IllegalStateException("no such key");
            }
        }));
        assertThatThrownBy(() -> withoutKey.handleInSteps(request("a"), never()))
                .hasMessage("no such key");

        assertExecuted(other.handleInSteps(request("a"), payment()), "paid");
    }

    @Test
    void resultsOfStepsAreDeletedWhenTheRequestIsFinished() throws Exception {
        leaveBehind("order", identity("a"));
        assertThat(node.admin().find(identity("a")).orElseThrow().steps()).containsExactly("order");
        node.handleInSteps(request("a"), payment());

        assertThat(node.admin().find(identity("a")).orElseThrow().steps()).isEmpty();
    }

    @Test
    void requestThatTheHandlerRefusesGoesOnWithARetryOnly() throws Exception {
        for (int status : new int[] {402, 503}) {
            node.handleInSteps(request("answered " + status), steps -> {
                local(steps, "order of " + status);
                return Reply.rollBack(status(status));
            });
        }
        fixture.advance(Duration.ofMinutes(10));

        assertThat(other.completeAbandoned(Map.of(OPERATION, payment()), 10)).isEqualTo(1);
        assertReplayed(other.handleInSteps(request("answered 503"), never()), "paid");
        assertExecuted(other.handleInSteps(request("answered 402"), payment()), "paid");
    }

    /** What its steps have done stays known. */
    @Test
    void requestThatIsNotFinishedKeepsItsKeyBehindItsRetention() throws Exception {
        node.handleInSteps(request("a"), steps -> {
            local(steps, "order");
            return Reply.rollBack(status(402));
        });
        fixture.advance(Duration.ofDays(25));

        assertThat(other.handleInSteps(request(identity("a"), "25 EUR"), never()))
                .isEqualTo(new RequestOutcome.FingerprintMismatch());
        assertExecuted(other.handleInSteps(request("a"), payment()), "paid");
    }

    @Test
    void requestThatWasBegunInStepsSaysSoWhereItIsHandledInOneTransaction() throws Exception {
        List<RequestOutcome> meanwhile = new ArrayList<>();
        assertThatThrownBy(() -> node.handleInSteps(request("a"), steps -> {
                    meanwhile.add(other.handle(request("a"), neverCalled()));
                    local(steps, "order");
                    throw new IllegalStateException("timeout");
                }))
                .hasMessage("timeout");

        assertThat(meanwhile).containsExactly(IN_PROGRESS);
        assertThatThrownBy(() -> node.handle(request("a"), neverCalled()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in steps")
                .satisfies(e -> assertThat(node.isTemporary(e)).isFalse());
    }

    @Test
    void requestInStepsThatNobodyCameBackForIsPurgedLongAfterItsRetention() throws Exception {
        leaveBehind("order", identity("a"));
        fixture.advance(Duration.ofDays(90));
        assertThat(node.purge(10)).isZero();

        fixture.advance(Duration.ofDays(2));
        assertThat(node.purge(10)).isEqualTo(1);
    }

    /** What a procedure that commits leaves on MariaDB. */
    @Test
    void requestThatItsHandlerHasCommittedUnfinishedSaysSoUntilItsRetentionIsOver() throws Exception {
        for (String key : List.of("a", "b")) {
            try (IdempotencyTransaction<C> transaction = store.begin(Duration.ofSeconds(30))) {
                transaction.claim(store.register(name), request(key), Duration.ofDays(1), null);
                transaction.commit();
            }
        }

        assertThatThrownBy(() -> node.handle(request("a"), neverCalled()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("forget");
        assertThat(node.purge(10)).isZero();
        fixture.advance(Duration.ofHours(25));
        assertExecuted(node.handle(request("a"), writing("paid")), "paid");
        assertThat(node.purge(10)).isEqualTo(1);
        assertThat(node.admin().find(identity("b"))).isEmpty();
    }

    @Test
    void stepWithinAStepIsRefused() throws Exception {
        assertThatThrownBy(() -> node.handleInSteps(request("a"), steps -> {
                    steps.inTransaction("order", context -> steps.inTransaction("charge", c -> new byte[0]));
                    return Reply.commit(response("paid"));
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'charge' within the step 'order'");
        assertThatThrownBy(() -> node.handleInSteps(request("a"), steps -> {
                    steps.foreign("order", key -> steps.foreign("charge", k -> new byte[0]));
                    return Reply.commit(response("paid"));
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'charge' within the step 'order'");
        assertExecuted(node.handleInSteps(request("a"), payment()), "paid");
    }
}
