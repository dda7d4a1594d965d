package io.pigeonhole.examples.chain;

import io.pigeonhole.examples.chain.Effect.Table;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Compares what clients were answered with what the databases hold, order by order and table by table, after all services have ended. For
 * one thread.
 */
final class ChainAudit {
    private static final int MOST_OBJECTIONS = 50;

    private final OrderPlan plan;
    private final List<String> objections = new ArrayList<>();
    private final Set<String> rolledBack = new TreeSet<>();
    private final Map<String, Order> placed = new HashMap<>();
    private long effects;
    private long distinct;
    private long reordered;
    private long paid;

    ChainAudit(OrderPlan plan) {
        this.plan = plan;
    }

    void object(boolean holds, String otherwise) {
        if (!holds && objections.size() < MOST_OBJECTIONS) {
            objections.add(otherwise);
        }
    }

    void objectAll(List<String> found) {
        found.forEach(each -> object(false, each));
    }

    /** What messages of a broker were about. */
    void lookAtMessages(Set<String> references) {
        for (String reference : references) {
            plannedOf(reference, "a message");
        }
    }

    /** All tables; that of the first service comes first. */
    void lookAtEffects(ChainDatabases databases) throws SQLException {
        for (Table table : Table.values()) {
            lookAt(table, databases.effects(table, 0));
        }
        long unpublished = databases.unpublished();
        object(unpublished == 0, unpublished + " messages wait in outboxes");
        long keys = databases.keys();
        object(keys == plan.accepted(), keys + " idempotency keys instead of " + plan.accepted());
    }

    void lookAt(Table table, List<Effect> rows) {
        Set<String> references = new HashSet<>();
        Map<Integer, Integer> last = new HashMap<>();
        for (Effect row : rows) {
            Order order = row.order();
            effects++;
            boolean first = references.add(order.reference());
            object(first, order.reference() + " is in " + table.table() + " again");
            PlannedOrder planned = plannedOf(order.reference(), "a row of " + table.table());
            object(
                    planned == null || (planned.customer() == order.customer() && planned.amount() == order.amount()),
                    order + " in " + table.table() + " is not " + planned);
            Integer before = last.put(order.customer(), order.number());
            if (first && before != null && before >= order.number()) {
                reordered++;
                object(false, order + " is in " + table.table() + " behind number " + before);
            }
            if (table == Table.ORDERS) {
                placed.put(order.reference(), order);
            } else {
                object(
                        order.equals(placed.get(order.reference())),
                        order + " in " + table.table() + " was placed as " + placed.get(order.reference()));
            }
            paid += table == Table.PAYMENT ? order.amount() : 0;
        }
        distinct += references.size();
        for (PlannedOrder order : plan.orders()) {
            object(
                    !order.isAccepted() || references.contains(order.reference()),
                    order.reference() + " is not in " + table.table());
        }
    }

    private @Nullable PlannedOrder plannedOf(String reference, String what) {
        PlannedOrder planned = plan.find(reference);
        if (planned == null) {
            object(false, what + " is about " + reference + ", which nobody sent");
        } else if (!planned.isAccepted() && rolledBack.add(reference + " " + what)) {
            object(false, what + " is about " + reference + ", whose requests were all rolled back");
        }
        return planned;
    }

    ChainReport report(long sent, long injected, long deliveries, long parked, int kills) {
        return new ChainReport(
                sent,
                plan.accepted(),
                injected,
                deliveries,
                effects,
                distinct,
                parked,
                reordered,
                rolledBack.size(),
                kills,
                plan.expectedAmount(),
                paid,
                List.copyOf(objections));
    }
}
