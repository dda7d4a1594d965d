package io.pigeonhole.examples.demo;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;

/**
 * What the audit found. Money is in cents.
 *
 * @param sent records in Kafka, duplicates included
 * @param unique different payments among them
 * @param deliveries records that Kafka handed to the consumer, redeliveries included
 * @param effects rows in the ledger of effects
 * @param distinct different payments among those
 * @param parked messages that wait for a retry or are dead
 * @param kills how often the consumer was killed
 * @param expectedBalance what must be on all accounts together
 * @param actualBalance what is on them
 * @param objections everything else that is not as it must be; none if all is well
 */
record Report(
        long sent,
        long unique,
        long deliveries,
        long effects,
        long distinct,
        long parked,
        int kills,
        long expectedBalance,
        long actualBalance,
        List<String> objections) {
    /** Payments that neither took effect nor were kept for somebody to look at. */
    long lost() {
        return unique - distinct - parked;
    }

    /** Effects that happened again. */
    long duplicated() {
        return effects - distinct;
    }

    boolean exactlyOnce() {
        return lost() == 0 && duplicated() == 0 && expectedBalance == actualBalance && objections.isEmpty();
    }

    /** One line, for machines. */
    String toJson() {
        return "{\"sent\":" + sent + ",\"unique\":" + unique + ",\"deliveries\":" + deliveries + ",\"effects\":"
                + effects
                + ",\"lost\":" + lost() + ",\"duplicated\":" + duplicated() + ",\"parked\":" + parked + ",\"kills\":"
                + kills + ",\"expectedBalance\":" + expectedBalance + ",\"actualBalance\":" + actualBalance
                + ",\"exactlyOnce\":" + exactlyOnce() + "}";
    }

    /** Some lines, for people. */
    String toTable() {
        StringBuilder table = new StringBuilder();
        row(table, "sent by two producers", sent, "duplicates among them: " + number(sent - unique));
        row(table, "different payments", unique, "");
        row(table, "delivered to the consumer", deliveries, "again after a kill: " + number(deliveries - sent));
        row(table, "kills with SIGKILL", kills, "");
        table.append('\n');
        row(table, "effects in the database", effects, "");
        row(table, "  duplicated", duplicated(), duplicated() == 0 ? "" : "paid more than once");
        row(table, "  lost", lost(), lost() == 0 ? "" : "neither paid nor kept");
        row(table, "parked for a person to look at", parked, parked == 0 ? "" : "they always fail");
        table.append('\n');
        row(table, "expected balance", money(expectedBalance), "");
        long difference = actualBalance - expectedBalance;
        row(
                table,
                "actual balance",
                money(actualBalance),
                difference == 0 ? "equal to the cent" : "off by " + (difference > 0 ? "+" : "") + money(difference));
        return table.toString();
    }

    private static void row(StringBuilder table, String name, long value, String remark) {
        row(table, name, number(value), remark);
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
