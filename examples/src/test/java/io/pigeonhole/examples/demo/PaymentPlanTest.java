package io.pigeonhole.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.examples.demo.Sending.Route;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PaymentPlanTest {
    private static final int ACCOUNTS = 3_000;

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 1_000, 50_000})
    void atLeastAFifthOfWhatIsSentAreDuplicates(int messages) {
        PaymentPlan plan = PaymentPlan.of(messages, ACCOUNTS, 7);

        assertThat(plan.sendings()).hasSize(messages);
        assertThat(plan.duplicates()).isGreaterThanOrEqualTo(messages / 5);
        assertThat(plan.unique() + plan.duplicates()).isEqualTo(messages);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, Long.MAX_VALUE})
    void everyPaymentIsSentFirstOnceAndNotAfterItsDuplicates(long seed) {
        PaymentPlan plan = PaymentPlan.of(2_000, ACCOUNTS, seed);

        Set<Integer> seen = new HashSet<>();
        for (Sending sending : plan.sendings()) {
            assertThat(seen.add(sending.payment())).isEqualTo(sending.route() == Route.FIRST);
        }
        assertThat(seen).hasSize(plan.unique());
    }

    @Test
    void duplicatesComeNearAndFarAndFromBothProducers() {
        PaymentPlan plan = PaymentPlan.of(10_000, ACCOUNTS, 3);

        int[] first = new int[plan.unique()];
        int near = 0;
        int far = 0;
        Set<Route> routes = new HashSet<>();
        for (int i = 0; i < plan.sendings().size(); i++) {
            Sending sending = plan.sendings().get(i);
            routes.add(sending.route());
            if (sending.route() == Route.FIRST) {
                first[sending.payment()] = i;
            } else if (i - first[sending.payment()] < 50) {
                near++;
            } else if (i - first[sending.payment()] > 500) {
                far++;
            }
        }
        assertThat(near).isGreaterThan(800);
        assertThat(far).isGreaterThan(800);
        assertThat(routes).containsExactlyInAnyOrder(Route.values());
    }

    @Test
    void sameSeedGivesTheSamePlan() {
        PaymentPlan one = PaymentPlan.of(1_000, ACCOUNTS, 5);
        PaymentPlan other = PaymentPlan.of(1_000, ACCOUNTS, 5);

        assertThat(one.sendings()).isEqualTo(other.sendings());
        assertThat(one.expectedBalances()).isEqualTo(other.expectedBalances());
        assertThat(PaymentPlan.of(1_000, ACCOUNTS, 6).sendings()).isNotEqualTo(one.sendings());
    }

    @Test
    void balancesCountEveryPaymentOnceAndNoPoison() {
        PaymentPlan plan = PaymentPlan.of(1_000, ACCOUNTS, 5);

        long sum = LongStream.range(0, plan.unique())
                .filter(i -> !plan.isPoison((int) i))
                .map(i -> plan.payment((int) i).amount())
                .sum();
        assertThat(Arrays.stream(plan.expectedBalances()).sum()).isEqualTo(sum);
        assertThat(plan.poisonous()).isBetween(3, 24);
    }
}
