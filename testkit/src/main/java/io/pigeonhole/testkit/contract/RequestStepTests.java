package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.core.idempotency.LeaseLostException;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestOutcome;
import io.pigeonhole.core.idempotency.StepHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Requests with effects in other systems. */
abstract class RequestStepTests<C extends HandlerContext> extends RequestLab<C> {
    private static final RequestOutcome IN_PROGRESS = new RequestOutcome.InProgress(Duration.ofSeconds(1));

    /** The keys that the other system has seen. */
    private final List<String> calls = new ArrayList<>();

    /** What the other system throws, once each. */
    private final List<RuntimeException> troubles = new ArrayList<>();

    RequestStepTests(Supplier<StoreFixture<C>> fixtures, Function<StoreFixture<C>, IdempotencyStore<C>> stores) {
        super(fixtures, stores);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private byte[] charge(String key) {
        calls.add(key);
        if (!troubles.isEmpty()) {
            throw troubles.remove(0);
        }
        return bytes("charge 1");
    }

    /** An order, a charge elsewhere, and a receipt. */
    private StepHandler<C> payment() {
        return steps -> {
            byte[] order = steps.inTransaction("order", context -> {
                fixture.write(context, "order");
                return bytes("order 1");
            });
            byte[] charge = steps.foreign("charge", this::charge);
            steps.inTransaction("receipt", context -> {
                fixture.write(context, "receipt");
                return new byte[0];
            });
            return Reply.commit(response(text(order) + ", " + text(charge)));
        };
    }

    private StepHandler<C> never() {
        return steps -> {
            throw new AssertionError("the handler ran");
        };
    }

    @Test
    void stepsRunOnceAndTheResponseIsGivenAgain() throws Exception {
        assertExecuted(node.handleInSteps(request("a"), payment()), "order 1, charge 1");

        assertReplayed(other.handleInSteps(request("a"), never()), "order 1, charge 1");
        assertThat(fixture.effects()).containsExactly("order", "receipt");
        assertThat(calls).hasSize(1);
    }

    @Test
    void failedRequestGoesOnBehindItsLastStepWithTheSameForeignKey() throws Exception {
        troubles.add(new IllegalStateException("timeout"));
        assertThatThrownBy(() -> node.handleInSteps(request("a"), payment())).hasMessage("timeout");
        assertThat(fixture.effects()).containsExactly("order");

        assertExecuted(other.handleInSteps(request("a"), payment()), "order 1, charge 1");
        assertThat(fixture.effects()).containsExactly("order", "receipt");
        assertThat(calls).hasSize(2);
        assertThat(calls.get(1)).isEqualTo(calls.get(0));
    }

    @Test
    void foreignCallThatFailsFirstKeepsTheKey() {
        StepHandler<C> first = steps -> Reply.commit(response(text(steps.foreign("charge", this::charge))));
        troubles.add(new IllegalStateException("timeout"));
        assertThatThrownBy(() -> node.handleInSteps(request("a"), first)).hasMessage("timeout");

        assertThat(node.admin().find(identity("a"))).isPresent();
    }

    @Test
    void keyWithoutAStepIsForgottenWhereTheHandlerRefuses() throws Exception {
        RequestOutcome refused = node.handleInSteps(request("a"), steps -> Reply.rollBack(response("bad")));

        assertThat(refused).isEqualTo(new RequestOutcome.NotStored(response("bad")));
        assertThat(node.admin().find(identity("a"))).isEmpty();
    }

    @Test
    void otherRequestWithTheKeyIsRefusedWhileItIsInWork() throws Exception {
        List<RequestOutcome> meanwhile = new ArrayList<>();
        node.handleInSteps(request("a"), steps -> {
            meanwhile.add(other.handleInSteps(request(identity("a"), "11 EUR"), never()));
            meanwhile.add(other.handleInSteps(request("a"), never()));
            steps.foreign("charge", key -> {
                meanwhile.add(other.handleInSteps(request("a"), never()));
                return new byte[0];
            });
            return Reply.commit(response("ok"));
        });

        assertThat(meanwhile).containsExactly(new RequestOutcome.FingerprintMismatch(), IN_PROGRESS, IN_PROGRESS);
    }

    /** A process that stands still for longer than its lease. */
    @Test
    void holderOfALeaseThatRanOutWritesNothing() throws Exception {
        List<RequestOutcome> meanwhile = new ArrayList<>();
        RequestOutcome late = node.handleInSteps(request("a"), steps -> {
            steps.inTransaction("order", context -> {
                fixture.write(context, "order");
                return bytes("order 1");
            });
            fixture.advance(Duration.ofMinutes(2));
            meanwhile.add(other.handleInSteps(request("a"), payment()));
            steps.inTransaction("receipt", context -> {
                fixture.write(context, "of the late one");
                return new byte[0];
            });
            return Reply.commit(response("late"));
        });

        assertExecuted(meanwhile.get(0), "order 1, charge 1");
        assertThat(late).isEqualTo(IN_PROGRESS);
        assertThat(fixture.effects()).containsExactly("order", "receipt");
        assertReplayed(node.handleInSteps(request("a"), never()), "order 1, charge 1");
    }

    /** The fencing token: the request is not finished yet, and the late one could still write to it. */
    @Test
    void holderOfALeaseThatRanOutWritesNothingWhileAnotherIsAtWork() throws Exception {
        RequestOutcome late = node.handleInSteps(request("a"), lateSteps -> {
            lateSteps.inTransaction("order", context -> {
                fixture.write(context, "order");
                return new byte[0];
            });
            fixture.advance(Duration.ofMinutes(2));
            RequestOutcome next = other.handleInSteps(request("a"), nextSteps -> {
                nextSteps.foreign("charge", key -> {
                    assertThatThrownBy(() -> lateSteps.inTransaction("receipt", context -> {
                                fixture.write(context, "of the late one");
                                return new byte[0];
                            }))
                            .isInstanceOf(LeaseLostException.class)
                            .hasMessageContaining("receipt");
                    return new byte[0];
                });
                return Reply.commit(response("of the next one"));
            });
            assertExecuted(next, "of the next one");
            return Reply.commit(response("of the late one"));
        });

        assertThat(late).isEqualTo(IN_PROGRESS);
        assertThat(fixture.effects()).containsExactly("order");
        assertReplayed(node.handleInSteps(request("a"), never()), "of the next one");
    }

    @Test
    void resultOfAForeignCallIsDroppedWhereTheLeaseRanOut() throws Exception {
        List<RequestOutcome> meanwhile = new ArrayList<>();
        RequestOutcome late = node.handleInSteps(request("a"), steps -> {
            steps.foreign("charge", key -> {
                calls.add(key);
                fixture.advance(Duration.ofMinutes(2));
                meanwhile.add(other.handleInSteps(request("a"), payment()));
                return bytes("late charge");
            });
            return Reply.commit(response("late"));
        });

        assertExecuted(meanwhile.get(0), "order 1, charge 1");
        assertThat(late).isEqualTo(IN_PROGRESS);
        assertThat(calls).hasSize(2);
        assertThat(calls.get(1)).isEqualTo(calls.get(0));
    }

    /** A process that died, which an error that is no exception of the handler's stands for: it cannot let go of its lease. */
    @Test
    void abandonedRequestIsFinishedByAnotherNode() throws Exception {
        troubles.add(new IllegalStateException("timeout"));
        assertThatThrownBy(() -> node.handleInSteps(request("a"), payment())).hasMessage("timeout");
        fixture.advance(Duration.ofSeconds(55));
        assertThat(other.completeAbandoned(Map.of(OPERATION, payment()), 10)).isZero();

        fixture.advance(Duration.ofSeconds(6));
        assertThat(other.completeAbandoned(Map.of("another", payment()), 10)).isZero();
        assertThat(other.completeAbandoned(Map.of(OPERATION, payment()), 10)).isEqualTo(1);
        assertThat(other.completeAbandoned(Map.of(OPERATION, payment()), 10)).isZero();

        assertThat(fixture.effects()).containsExactly("order", "receipt");
        assertReplayed(node.handleInSteps(request("a"), never()), "order 1, charge 1");
    }

    @Test
    void abandonedRequestIsSeenAsItCame() throws Exception {
        troubles.add(new IllegalStateException("timeout"));
        assertThatThrownBy(() -> node.handleInSteps(request("a"), payment())).hasMessage("timeout");
        fixture.advance(Duration.ofMinutes(10));

        List<String> seen = new ArrayList<>();
        other.completeAbandoned(
                Map.of(OPERATION, steps -> {
                    seen.add(steps.request().id() + " " + text(steps.request().payload()) + " "
                            + steps.request().contentType());
                    return Reply.commit(response("finished"));
                }),
                10);

        assertThat(seen).containsExactly("a 10 EUR text/plain");
    }

    @Test
    void stepHasItsNameAlone() {
        assertThatThrownBy(() -> node.handleInSteps(request("a"), steps -> {
                    steps.inTransaction("order", context -> new byte[0]);
                    steps.inTransaction("order", context -> new byte[0]);
                    return Reply.commit(response("ok"));
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name of its own");
    }

    @Test
    void requestInWorkIsNotPurged() throws Exception {
        troubles.add(new IllegalStateException("timeout"));
        assertThatThrownBy(() -> node.handleInSteps(request("a"), payment())).hasMessage("timeout");
        fixture.advance(Duration.ofDays(40));

        assertThat(node.purge(100)).isZero();
        assertExecuted(other.handleInSteps(request("a"), payment()), "order 1, charge 1");
        assertThat(fixture.effects()).containsExactly("order", "receipt");
    }
}
