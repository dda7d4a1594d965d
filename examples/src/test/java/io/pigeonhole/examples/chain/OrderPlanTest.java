package io.pigeonhole.examples.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.examples.chain.PlannedOrder.Behaviour;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OrderPlanTest {
    @Test
    void planHasAsManyAcceptedOrdersAsAskedForAndAllBehaviours() {
        OrderPlan plan = OrderPlan.of(1_000, 1);

        assertThat(plan.accepted()).isEqualTo(1_000);
        assertThat(plan.orders()).extracting(PlannedOrder::behaviour).contains(Behaviour.values());
        assertThat(plan.orders()).extracting(PlannedOrder::key).doesNotHaveDuplicates();
        assertThat(plan.orders()).extracting(PlannedOrder::reference).doesNotHaveDuplicates();
    }

    @Test
    void sameSeedIsTheSamePlan() {
        assertThat(OrderPlan.of(500, 7).orders())
                .isEqualTo(OrderPlan.of(500, 7).orders())
                .isNotEqualTo(OrderPlan.of(500, 8).orders());
    }

    @Test
    void nineKillsHitEachServiceAndTheDatabase() {
        Victims victims = new Victims(1);
        Set<Optional<Service>> hit = new HashSet<>();
        for (int i = 0; i < 9; i++) {
            hit.add(victims.next());
        }

        assertThat(hit).hasSize(Service.values().length + 1);
    }
}
