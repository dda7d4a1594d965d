package io.pigeonhole.examples.chain;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;

/**
 * What the audit found. Money is in cents.
 *
 * @param sent requests that clients sent, repeated ones and those without an answer included
 * @param unique different orders that were accepted; each has to have an effect in four tables
 * @param injected messages that were sent again to the brokers
 * @param deliveries messages that brokers handed to services, redeliveries included
 * @param effects rows in the four tables
 * @param distinct different orders in each of the tables, together
 * @param parked messages that wait for a retry or are dead
 * @param reordered effects behind one of the same customer with a higher number
 * @param fromRolledBack effects and messages of requests that were rolled back
 * @param kills how often something was killed
 * @param expectedBalance what all accepted orders cost
 * @param actualBalance what was paid
 * @param objections everything else that is not as it must be; none if all is well
 */
record ChainReport(
        long sent,
        long unique,
        long injected,
        long deliveries,
        long effects,
        long distinct,
        long parked,
        long reordered,
        long fromRolledBack,
        int kills,
        long expectedBalance,
        long actualBalance,
        List<String> objections) {
    /** Effects that are missing and not kept for somebody to look at. */
    long lost() {
        return unique * Effect.Table.values().length - distinct - parked;
    }

    /** Effects that happened again. */
    long duplicated() {
        return effects - distinct;
    }

    boolean exactlyOnce() {
        return lost() == 0
                && duplicated() == 0
                && parked == 0
                && reordered == 0
                && fromRolledBack == 0
                && expectedBalance == actualBalance
                && objections.isEmpty();
    }

    /** One line, for machines. */
    String toJson() {
        return "{\"sent\":" + sent + ",\"unique\":" + unique + ",\"injected\":" + injected + ",\"deliveries\":"
                + deliveries + ",\"effects\":" + effects + ",\"lost\":" + lost() + ",\"duplicated\":" + duplicated()
                + ",\"parked\":" + parked + ",\"reordered\":" + reordered + ",\"fromRolledBack\":" + fromRolledBack
                + ",\"kills\":" + kills + ",\"expectedBalance\":" + expectedBalance + ",\"actualBalance\":"
                + actualBalance + ",\"exactlyOnce\":" + exactlyOnce() + "}";
    }

    /** Some lines, for people. */
    String toTable() {
        StringBuilder table = new StringBuilder();
        row(table, "requests sent by clients", number(sent), "");
        row(table, "orders accepted", number(unique), "");
        row(table, "messages sent again to brokers", number(injected), "");
        row(table, "messages delivered to services", number(deliveries), "");
        row(table, "kills with SIGKILL", number(kills), "");
        table.append('\n');
        row(table, "effects in four tables", number(effects), "");
        row(table, "  duplicated", number(duplicated()), "");
        row(table, "  lost", number(lost()), "");
        row(table, "  out of the customer's order", number(reordered), "");
        row(table, "  of rolled-back requests", number(fromRolledBack), "");
        row(table, "parked or dead", number(parked), "");
        table.append('\n');
        row(table, "what the orders cost", money(expectedBalance), "");
        row(table, "what was paid", money(actualBalance), expectedBalance == actualBalance ? "equal to the cent" : "");
        return table.toString();
    }

    private static void row(StringBuilder table, String name, String value, String remark) {
        table.append(String.format(Locale.ROOT, "  %-32s %16s   %s", name, value, remark)
                        .stripTrailing())
                .append('\n');
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String money(long cents) {
        return String.format(Locale.ROOT, "%,.2f", BigDecimal.valueOf(cents, 2));
    }
}
