package io.pigeonhole.examples.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.examples.chain.Effect.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChainAuditTest {
    private final OrderPlan plan = OrderPlan.of(100, 3);
    private final Map<Table, List<Effect>> tables = new HashMap<>();

    @BeforeEach
    void everythingOnce() {
        Map<Integer, Integer> numbers = new HashMap<>();
        List<Effect> rows = new ArrayList<>();
        for (PlannedOrder planned : plan.orders()) {
            if (planned.isAccepted()) {
                int number = numbers.merge(planned.customer(), 1, Integer::sum);
                rows.add(new Effect(
                        rows.size(),
                        "id " + rows.size(),
                        new Order(planned.reference(), planned.customer(), number, planned.amount())));
            }
        }
        for (Table table : Table.values()) {
            tables.put(table, new ArrayList<>(rows));
        }
    }

    private List<Effect> rows(Table table) {
        return tables.getOrDefault(table, List.of());
    }

    private ChainReport report() {
        ChainAudit audit = new ChainAudit(plan);
        for (Table table : Table.values()) {
            audit.lookAt(table, rows(table));
        }
        return audit.report(0, 0, 0, 0, 0);
    }

    @Test
    void eachOrderInEachTableIsExactlyOnce() {
        assertThat(report().objections()).isEmpty();
        assertThat(report().exactlyOnce()).isTrue();
        assertThat(report().effects()).isEqualTo(400);
    }

    @Test
    void secondEffectOfAnOrderIsDuplicated() {
        rows(Table.SHIPMENT).add(rows(Table.SHIPMENT).get(7));

        assertThat(report().duplicated()).isEqualTo(1);
        assertThat(report().lost()).isZero();
        assertThat(report().exactlyOnce()).isFalse();
    }

    @Test
    void missingEffectIsLostAlsoWhereAnotherOneIsThereTwice() {
        rows(Table.SHIPPED).set(7, rows(Table.SHIPPED).get(8));

        assertThat(report().lost()).isEqualTo(1);
        assertThat(report().duplicated()).isEqualTo(1);
        assertThat(report().exactlyOnce()).isFalse();
    }

    @Test
    void effectBehindALaterOneOfItsCustomerIsReordered() {
        List<Effect> rows = rows(Table.PAYMENT);
        Effect first = rows.get(0);
        int second = 1;
        while (rows.get(second).order().customer() != first.order().customer()) {
            second++;
        }
        rows.set(0, rows.get(second));
        rows.set(second, first);

        assertThat(report().reordered()).isEqualTo(1);
        assertThat(report().lost()).isZero();
        assertThat(report().exactlyOnce()).isFalse();
    }

    @Test
    void effectOfARequestThatWasRolledBackIsFound() {
        PlannedOrder givenUp = plan.orders().stream()
                .filter(order -> !order.isAccepted())
                .findFirst()
                .orElseThrow();
        rows(Table.PAYMENT)
                .add(new Effect(1_000, "id", new Order(givenUp.reference(), givenUp.customer(), 99, givenUp.amount())));

        assertThat(report().fromRolledBack()).isEqualTo(1);
        assertThat(report().exactlyOnce()).isFalse();
    }

    @Test
    void messageOfARequestThatWasRolledBackIsFoundThoughItHasNoEffect() {
        ChainAudit audit = new ChainAudit(plan);
        audit.lookAtMessages(Set.of(plan.orders().stream()
                .filter(order -> !order.isAccepted())
                .findFirst()
                .orElseThrow()
                .reference()));

        assertThat(audit.report(0, 0, 0, 0, 0).fromRolledBack()).isEqualTo(1);
    }

    @Test
    void effectWithAnotherAmountThanTheOrderIsFound() {
        Effect row = rows(Table.SHIPMENT).get(3);
        Order order = row.order();
        rows(Table.SHIPMENT)
                .set(
                        3,
                        new Effect(
                                row.place(),
                                row.messageId(),
                                new Order(order.reference(), order.customer(), order.number(), order.amount() + 1)));

        assertThat(report().objections()).isNotEmpty();
        assertThat(report().exactlyOnce()).isFalse();
    }

    @Test
    void parkedMessageIsNotExactlyOnce() {
        ChainAudit audit = new ChainAudit(plan);
        for (Table table : Table.values()) {
            audit.lookAt(table, rows(table));
        }

        assertThat(audit.report(0, 0, 0, 1, 0).exactlyOnce()).isFalse();
    }
}
