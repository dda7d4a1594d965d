package io.pigeonhole.core.retry;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pigeonhole.core.failure.PermanentFailure;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    private final Random random = new Random(1);

    @Test
    void standardDelaysAreThirtySecondsTwoEightAndThirtyTwoMinutesAndThenItIsOver() {
        RetryPolicy policy = RetryPolicy.standard().jitter(0);

        assertThat(delays(policy, 5))
                .containsExactly(
                        Optional.of(ofSeconds(30)),
                        Optional.of(ofMinutes(2)),
                        Optional.of(ofMinutes(8)),
                        Optional.of(ofMinutes(32)),
                        Optional.empty());
    }

    @Test
    void noDelayExceedsTheCeiling() {
        RetryPolicy policy = RetryPolicy.exponential(ofSeconds(30), 4, ofHours(1))
                .maxAttempts(100)
                .jitter(0);

        assertThat(policy.delayAfter(99, ZERO, new Exception(), random)).contains(ofHours(1));
    }

    @Test
    void fixedDelaysStayTheSame() {
        RetryPolicy policy = RetryPolicy.fixed(ofSeconds(7)).maxAttempts(4).jitter(0);

        assertThat(delays(policy, 3)).containsOnly(Optional.of(ofSeconds(7)));
    }

    @Test
    void neverGivesUpAtTheFirstFailure() {
        assertThat(RetryPolicy.never().delayAfter(1, ZERO, new Exception(), random))
                .isEmpty();
    }

    @Test
    void aMessageThatWouldBeTooOldWhenDueIsGivenUp() {
        RetryPolicy policy = RetryPolicy.fixed(ofMinutes(10))
                .maxAge(ofHours(1))
                .maxAttempts(100)
                .jitter(0);

        assertThat(policy.delayAfter(1, ofMinutes(50), new Exception(), random)).isPresent();
        assertThat(policy.delayAfter(1, ofMinutes(50).plusMillis(1), new Exception(), random))
                .isEmpty();
    }

    @Test
    void jitterShortensADelayByAtMostItsPart() {
        RetryPolicy policy = RetryPolicy.fixed(ofSeconds(10)).maxAttempts(2).jitter(0.2);

        List<Duration> drawn = IntStream.range(0, 1_000)
                .mapToObj(
                        i -> policy.delayAfter(1, ZERO, new Exception(), random).orElseThrow())
                .toList();
        assertThat(drawn).allSatisfy(delay -> assertThat(delay).isBetween(ofSeconds(8), ofSeconds(10)));
        assertThat(drawn).anySatisfy(delay -> assertThat(delay).isLessThan(ofMillis(8_500)));
        assertThat(drawn).anySatisfy(delay -> assertThat(delay).isGreaterThan(ofMillis(9_500)));
    }

    @Test
    void valuesOutOfRangeAreRefusedWithTheirNumbers() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.fixed(ofSeconds(-1)))
                .withMessageContaining("first delay -1 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.exponential(ofSeconds(1), 0.5, ofSeconds(2)))
                .withMessageContaining("0.5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.exponential(ofSeconds(3), 2, ofSeconds(2)))
                .withMessageContaining("3 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.standard().maxAttempts(0))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.standard().jitter(1.5))
                .withMessageContaining("1.5");
    }

    @Test
    void doublingAndCustomDelaysFollowTheirRules() {
        assertThat(delays(RetryPolicy.doubling(ofSeconds(1), ofSeconds(3)).jitter(0), 3))
                .containsExactly(Optional.of(ofSeconds(1)), Optional.of(ofSeconds(2)), Optional.of(ofSeconds(3)));
        assertThat(delays(RetryPolicy.custom(attempts -> ofMinutes(attempts)).jitter(0), 2))
                .containsExactly(Optional.of(ofMinutes(1)), Optional.of(ofMinutes(2)));
    }

    @Test
    void negativeDelayOfAFunctionIsRefused() {
        RetryPolicy policy = RetryPolicy.custom(attempts -> ofSeconds(-5));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.delayAfter(1, ZERO, new Exception(), random))
                .withMessageContaining("-5 s");
    }

    @Test
    void mostSpecialClassOfAFailureDecidesAboutTheReaction() {
        RetryPolicy policy = RetryPolicy.standard()
                .on(IllegalArgumentException.class, Reaction.IGNORE)
                .on(RuntimeException.class, Reaction.GIVE_UP);

        assertThat(policy.reactionTo(new NumberFormatException())).contains(Reaction.IGNORE);
        assertThat(policy.reactionTo(new IllegalStateException())).contains(Reaction.GIVE_UP);
        assertThat(policy.reactionTo(new Exception())).isEmpty();
    }

    @Test
    void firstPredicateThatSaysTrueDecidesBeforeAnyClass() {
        RetryPolicy policy = RetryPolicy.standard()
                .on(IllegalStateException.class, Reaction.RETRY)
                .when(failure -> "gone".equals(failure.getMessage()), Reaction.GIVE_UP)
                .when(failure -> failure instanceof IllegalStateException, Reaction.IGNORE);

        assertThat(policy.reactionTo(new IllegalStateException("gone"))).contains(Reaction.GIVE_UP);
        assertThat(policy.reactionTo(new IllegalStateException("busy"))).contains(Reaction.IGNORE);
        assertThat(policy.reactionTo(new Exception("gone"))).contains(Reaction.GIVE_UP);
        assertThat(policy.reactionTo(new Exception("busy"))).isEmpty();
    }

    @Test
    void delayThatAnExceptionAsksForHasNoJitterAndKeepsTheLimits() {
        RetryPolicy policy = RetryPolicy.fixed(ofSeconds(1))
                .maxAge(ofHours(1))
                .jitter(1)
                .delayFrom(TooManyRequests.class, failure -> failure.retryAfter);

        assertThat(policy.delayAfter(1, ZERO, new TooManyRequests(ofSeconds(42)), random))
                .contains(ofSeconds(42));
        assertThat(policy.delayAfter(1, ofMinutes(59), new TooManyRequests(ofMinutes(2)), random))
                .isEmpty();
        assertThat(policy.delayAfter(5, ZERO, new TooManyRequests(ofSeconds(42)), random))
                .isEmpty();
        assertThat(policy.jitter(0).delayAfter(1, ZERO, new TooManyRequests(null), random))
                .contains(ofSeconds(1));
        assertThat(policy.jitter(0).delayAfter(1, ZERO, new Exception(), random))
                .contains(ofSeconds(1));
    }

    @Test
    void ruleForAClassHoldsForAnExceptionThatIsWrapped() {
        RetryPolicy policy = RetryPolicy.standard().on(IllegalArgumentException.class, Reaction.GIVE_UP);
        Exception cause = new NumberFormatException();

        assertThat(policy.reactionTo(new RuntimeException(cause))).contains(Reaction.GIVE_UP);
        assertThat(policy.reactionTo(new UndeclaredThrowableException(new ExecutionException(cause))))
                .contains(Reaction.GIVE_UP);
        assertThat(policy.reactionTo(new RuntimeException(new Exception()))).isEmpty();
    }

    @Test
    void outermostExceptionThatIsNamedDecidesBeforeItsCauses() {
        RetryPolicy policy = RetryPolicy.standard()
                .on(IllegalStateException.class, Reaction.IGNORE)
                .on(NumberFormatException.class, Reaction.GIVE_UP)
                .when(failure -> "gone".equals(failure.getMessage()), Reaction.RETRY)
                .when(failure -> "busy".equals(failure.getMessage()), Reaction.GIVE_UP);

        assertThat(policy.reactionTo(new IllegalStateException(new NumberFormatException())))
                .contains(Reaction.IGNORE);
        assertThat(policy.reactionTo(new RuntimeException("busy", new Exception("gone"))))
                .contains(Reaction.GIVE_UP);
    }

    @Test
    void predicateSeesCausesBeforeAnyClassIsAsked() {
        RetryPolicy policy = RetryPolicy.standard()
                .on(IllegalStateException.class, Reaction.RETRY)
                .when(failure -> "gone".equals(failure.getMessage()), Reaction.GIVE_UP);
        Exception failure = new IllegalStateException(new Exception("gone"));

        assertThat(policy.reactionTo(failure)).contains(Reaction.GIVE_UP);
        assertThat(policy.reactionByPredicate(failure)).contains(Reaction.GIVE_UP);
    }

    @Test
    void permanentFailureHasJudgedItsCauses() {
        RetryPolicy policy = RetryPolicy.standard()
                .on(IllegalStateException.class, Reaction.RETRY)
                .when(failure -> "busy".equals(failure.getMessage()), Reaction.RETRY);
        Exception failure = new PermanentFailure("no such account", new IllegalStateException("busy"));

        assertThat(policy.reactionTo(failure)).isEmpty();
        assertThat(policy.reactionTo(new RuntimeException(failure))).isEmpty();
    }

    @Test
    void delayIsFoundInACause() {
        RetryPolicy policy = RetryPolicy.fixed(ofSeconds(1))
                .jitter(0)
                .delayFrom(TooManyRequests.class, failure -> failure.retryAfter);

        assertThat(policy.delayAfter(1, ZERO, new RuntimeException(new TooManyRequests(ofSeconds(42))), random))
                .contains(ofSeconds(42));
    }

    private static final class TooManyRequests extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient @Nullable Duration retryAfter;

        TooManyRequests(@Nullable Duration retryAfter) {
            this.retryAfter = retryAfter;
        }
    }

    private List<Optional<Duration>> delays(RetryPolicy policy, int attempts) {
        return IntStream.rangeClosed(1, attempts)
                .mapToObj(attempt -> policy.delayAfter(attempt, ZERO, new Exception(), random))
                .toList();
    }
}
