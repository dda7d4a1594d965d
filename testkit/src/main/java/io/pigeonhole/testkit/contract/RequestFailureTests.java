package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.core.idempotency.IdempotencyTransaction;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.LeaseLostException;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestOutcome;
import io.pigeonhole.core.idempotency.StepHandler;
import io.pigeonhole.core.idempotency.Steps;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is answered where a request in steps fails, or its lease is lost, or nobody knows what is committed. */
abstract class RequestFailureTests<C extends HandlerContext> extends RequestLab<C> {
    private static final RequestOutcome IN_PROGRESS = new RequestOutcome.InProgress(Duration.ofSeconds(1));

    /** Whether the next commit fails. */
    private final AtomicBoolean failing = new AtomicBoolean();

    RequestFailureTests(Supplier<StoreFixture<C>> fixtures, Function<StoreFixture<C>, IdempotencyStore<C>> stores) {
        super(fixtures, stores);
    }

    private void local(Steps<C> steps, String step) throws Exception {
        steps.inTransaction(step, context -> {
            fixture.write(context, step);
            return step.getBytes(StandardCharsets.UTF_8);
        });
    }

    private StepHandler<C> payment() {
        return steps -> {
            local(steps, "order");
            local(steps, "receipt");
            return Reply.commit(response("paid"));
        };
    }

    private StepHandler<C> never() {
        return steps -> {
            throw new AssertionError("the handler ran");
        };
    }

    private static Reply declined() {
        return Reply.rollBack(new StoredResponse(402, Headers.none(), new byte[0]));
    }

    /** A client that is told that it is declined does not ask again, though the payment is made. */
    @Test
    void answerThatIsNotStoredIsNotGivenByOneThatHasLostItsLease() throws Exception {
        RequestOutcome late = node.handleInSteps(request("a"), steps -> {
            local(steps, "order");
            fixture.advance(Duration.ofMinutes(2));
            assertExecuted(other.handleInSteps(request("a"), payment()), "paid");
            return declined();
        });

        assertThat(late).isEqualTo(IN_PROGRESS);
        assertReplayed(node.handleInSteps(request("a"), never()), "paid");
    }

    @Test
    void failureOfOneThatHasLostItsLeaseIsNotTheRequests() throws Exception {
        RequestOutcome late = node.handleInSteps(request("a"), steps -> {
            local(steps, "order");
            fixture.advance(Duration.ofMinutes(2));
            assertExecuted(other.handleInSteps(request("a"), payment()), "paid");
            throw new IllegalStateException("timeout");
        });

        assertThat(late).isEqualTo(IN_PROGRESS);
    }

    /** It is the process that is in trouble. */
    @Test
    void errorOfOneThatHasLostItsLeaseIsThrown() {
        assertThatThrownBy(() -> node.handleInSteps(request("a"), steps -> {
                    fixture.advance(Duration.ofMinutes(2));
                    assertThatThrownBy(() -> local(steps, "order")).isInstanceOf(LeaseLostException.class);
                    throw new OutOfMemoryError("of a test");
                }))
                .isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void answerThatIsNotStoredIsNotGivenWhereTheLeaseCannotBeAskedFor() {
        assertThatThrownBy(() -> losing().handleInSteps(request("a"), steps -> {
                    local(steps, "order");
                    failing.set(true);
                    return declined();
                }))
                .isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void answerThatIsNotStoredIsNotGivenBehindAStepOfWhichNobodyKnowsWhetherItIsCommitted() {
        assertThatThrownBy(() -> losing().handleInSteps(request("a"), steps -> {
                    failing.set(true);
                    assertThatThrownBy(() -> local(steps, "order")).isInstanceOf(OutcomeUnknownException.class);
                    return declined();
                }))
                .isInstanceOf(OutcomeUnknownException.class);
    }

    /** A commit that reached the database while its answer was lost. */
    @Test
    void nothingMoreIsDoneBehindAStepOfWhichNobodyKnowsWhetherItIsCommitted() throws Exception {
        assertThatThrownBy(() -> losing().handleInSteps(request("a"), steps -> {
                    failing.set(true);
                    assertThatThrownBy(() -> local(steps, "order")).isInstanceOf(OutcomeUnknownException.class);
                    assertThatThrownBy(() -> local(steps, "receipt"))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("'order'");
                    return Reply.commit(response("paid"));
                }))
                .isInstanceOf(OutcomeUnknownException.class);

        assertExecuted(other.handleInSteps(request("a"), payment()), "paid");
        assertThat(fixture.effects()).containsExactly("order", "receipt");
    }

    /** Such as where a constraint is checked at the commit. */
    @Test
    void furtherStepsRunBehindAStepThatIsRolledBackForCertain() throws Exception {
        RequestOutcome outcome = refusing().handleInSteps(request("a"), steps -> {
            failing.set(true);
            assertThatThrownBy(() -> local(steps, "order")).isInstanceOf(StoreException.class);
            local(steps, "refund");
            return Reply.commit(response("refunded"));
        });

        assertExecuted(outcome, "refunded");
        assertThat(fixture.effects()).containsExactly("refund");
    }

    private IdempotentRequests<C> losing() {
        return committing(commit -> {
            Object nothing = commit.get();
            if (failing.getAndSet(false)) {
                throw new OutcomeUnknownException("the connection was lost", new IllegalStateException());
            }
            return nothing;
        });
    }

    private IdempotentRequests<C> refusing() {
        return committing(commit -> {
            if (failing.getAndSet(false)) {
                throw new StoreException(ErrorClass.MESSAGE, "a constraint is violated", null);
            }
            return commit.get();
        });
    }

    @SuppressWarnings("unchecked")
    private IdempotentRequests<C> committing(Function<Supplier<@Nullable Object>, @Nullable Object> way) {
        IdempotencyStore<C> committing = around(
                IdempotencyStore.class,
                store,
                "begin",
                begin -> around(IdempotencyTransaction.class, Objects.requireNonNull(begin.get()), "commit", way));
        return IdempotentRequests.builder(committing, name).build();
    }

    /** With another way to call one of its methods. */
    private static <T> T around(
            Class<T> type, Object of, String method, Function<Supplier<@Nullable Object>, @Nullable Object> way) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, called, values) -> called.getName().equals(method)
                        ? way.apply(() -> call(of, called, values))
                        : call(of, called, values)));
    }

    private static @Nullable Object call(Object of, Method method, Object @Nullable [] values) {
        try {
            return method.invoke(of, values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new AssertionError(e);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
