package io.pigeonhole.examples.chain;

import io.pigeonhole.examples.chain.PlannedOrder.Behaviour;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** All orders of a run, in the order in which clients begin with them. Immutable. */
final class OrderPlan {
    private static final int FEWEST_CUSTOMERS = 10;
    private static final int MOST_CUSTOMERS = 1_000;
    private static final int ORDERS_PER_CUSTOMER = 20;
    private static final int HIGHEST_AMOUNT = 20_000;
    private static final double GIVEN_UP = 0.06;
    private static final double FAILED_FIRST = 0.08;
    private static final double CONCURRENT = 0.10;
    private static final double REPEATED = 0.15;

    private final List<PlannedOrder> orders;
    private final Map<String, PlannedOrder> byReference = new HashMap<>();
    private final int customers;

    private OrderPlan(List<PlannedOrder> orders, int customers) {
        this.orders = List.copyOf(orders);
        this.customers = customers;
        orders.forEach(order -> byReference.put(order.reference(), order));
    }

    /** As many accepted orders, and those on top that are given up. */
    static OrderPlan of(int accepted, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int customers = Math.max(FEWEST_CUSTOMERS, Math.min(MOST_CUSTOMERS, accepted / ORDERS_PER_CUSTOMER));
        List<PlannedOrder> orders = new ArrayList<>();
        for (int left = accepted; left > 0; ) {
            Behaviour behaviour = behaviour(random.nextDouble());
            left -= behaviour == Behaviour.GIVEN_UP ? 0 : 1;
            orders.add(new PlannedOrder(
                    "order-" + orders.size(),
                    new UUID(random.nextLong(), random.nextLong()).toString(),
                    1 + random.nextInt(customers),
                    1 + random.nextInt(HIGHEST_AMOUNT),
                    behaviour,
                    random.nextBoolean()));
        }
        return new OrderPlan(orders, customers);
    }

    private static Behaviour behaviour(double random) {
        if (random < GIVEN_UP) {
            return Behaviour.GIVEN_UP;
        }
        if (random < GIVEN_UP + FAILED_FIRST) {
            return Behaviour.FAILED_FIRST;
        }
        if (random < GIVEN_UP + FAILED_FIRST + CONCURRENT) {
            return Behaviour.CONCURRENT;
        }
        return random < GIVEN_UP + FAILED_FIRST + CONCURRENT + REPEATED ? Behaviour.REPEATED : Behaviour.ONCE;
    }

    List<PlannedOrder> orders() {
        return orders;
    }

    int customers() {
        return customers;
    }

    @Nullable
    PlannedOrder find(String reference) {
        return byReference.get(reference);
    }

    int accepted() {
        return (int) orders.stream().filter(PlannedOrder::isAccepted).count();
    }

    long expectedAmount() {
        return orders.stream()
                .filter(PlannedOrder::isAccepted)
                .mapToLong(PlannedOrder::amount)
                .sum();
    }
}
