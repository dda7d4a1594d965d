package io.pigeonhole.examples.demo;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Compares what the producers sent with what the database holds, payment by payment and account by account, after the
 * consumer has ended. The sums alone could be right by accident.
 */
final class Audit {
    private final PaymentPlan plan;
    private final PaymentIds ids;
    private final Bank bank;
    private final List<String> objections = new ArrayList<>();

    Audit(PaymentPlan plan, PaymentIds ids, Bank bank) {
        this.plan = plan;
        this.ids = ids;
        this.bank = bank;
    }

    Report report(long deliveries, int kills, int killsWanted) throws SQLException {
        int sent = plan.sendings().size();
        int[] effects = new int[plan.unique()];
        bank.eachEffect(id -> count(id, effects, "an effect"));
        int[] parked = new int[plan.unique()];
        bank.parkedIds().forEach(id -> count(id, parked, "a parked message"));
        for (int i = 0; i < plan.unique(); i++) {
            int wantedEffects = plan.isPoison(i) ? 0 : 1;
            if (effects[i] != wantedEffects || parked[i] != 1 - wantedEffects) {
                objections.add("payment " + i + (plan.isPoison(i) ? ", which always fails," : "") + " has " + effects[i]
                        + " effects and is parked " + parked[i] + " times");
            }
        }
        long[] expected = plan.expectedBalances();
        long[] actual = bank.balances(plan.accounts());
        for (int account = 1; account < expected.length; account++) {
            object(
                    expected[account] == actual[account],
                    "account " + account + " holds " + actual[account] + " instead of " + expected[account]);
        }
        object(deliveries >= sent, deliveries + " deliveries are fewer than the " + sent + " records sent");
        object(kills >= killsWanted, kills + " kills instead of " + killsWanted);
        return new Report(
                sent,
                plan.unique(),
                deliveries,
                bank.effects(),
                bank.distinctEffects(),
                bank.parked(),
                kills,
                Arrays.stream(expected).sum(),
                Arrays.stream(actual).sum(),
                List.copyOf(objections));
    }

    private void count(String id, int[] counts, String what) {
        int payment = ids.paymentOf(id);
        if (payment < 0) {
            objections.add(what + " with an id that nobody sent: '" + id + "'");
        } else {
            counts[payment]++;
        }
    }

    private void object(boolean holds, String otherwise) {
        if (!holds) {
            objections.add(otherwise);
        }
    }
}
