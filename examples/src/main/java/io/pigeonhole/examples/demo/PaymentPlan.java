package io.pigeonhole.examples.demo;

import io.pigeonhole.examples.demo.Sending.Route;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Which payments are sent, in which order and how often: all of it follows from the seed. 22 % of the records are
 * duplicates of an earlier one, half of them near it (up to 20 payments later), half of them far (up to half the run).
 * Immutable.
 */
final class PaymentPlan {
    /** More than the 20 % that are promised. */
    private static final double DUPLICATES = 0.22;

    private static final List<Poison> KINDS =
            List.of(Poison.UNKNOWN_ACCOUNT, Poison.BROKEN_JSON, Poison.NEGATIVE_AMOUNT);
    private static final int NEAR = 20;
    private static final int LARGEST_AMOUNT = 50_000;
    private static final int PAYMENTS_PER_POISON = 2_000;
    private static final int FEWEST_POISON = 3;
    private static final int MOST_POISON = 24;

    private final List<Payment> payments;
    private final Poison[] poisons;
    private final List<Sending> sendings;
    private final int accounts;

    private PaymentPlan(List<Payment> payments, Poison[] poisons, List<Sending> sendings, int accounts) {
        this.payments = payments;
        this.poisons = poisons;
        this.sendings = sendings;
        this.accounts = accounts;
    }

    static PaymentPlan of(int messages, int accounts, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int duplicates = (int) Math.ceil(messages * DUPLICATES);
        int unique = messages - duplicates;
        Poison[] poisons = poisons(unique, random);
        List<Payment> payments = new ArrayList<>(unique);
        for (Poison poison : poisons) {
            payments.add(payment(poison, accounts, random));
        }
        return new PaymentPlan(List.copyOf(payments), poisons, sendings(unique, duplicates, random), accounts);
    }

    private static Poison[] poisons(int unique, SplittableRandom random) {
        Poison[] poisons = new Poison[unique];
        Arrays.fill(poisons, Poison.NONE);
        int count = Math.max(FEWEST_POISON, Math.min(MOST_POISON, unique / PAYMENTS_PER_POISON));
        for (int i = 0; i < count; i++) {
            int payment;
            do {
                payment = random.nextInt(unique);
            } while (poisons[payment] != Poison.NONE);
            poisons[payment] = KINDS.get(i % KINDS.size());
        }
        return poisons;
    }

    private static Payment payment(Poison poison, int accounts, SplittableRandom random) {
        long account = 1L + random.nextInt(accounts);
        long amount = 1L + random.nextInt(LARGEST_AMOUNT);
        return switch (poison) {
            case UNKNOWN_ACCOUNT -> new Payment(account + accounts, amount);
            case NEGATIVE_AMOUNT -> new Payment(account, -amount);
            case NONE, BROKEN_JSON -> new Payment(account, amount);
        };
    }

    private static List<Sending> sendings(int unique, int duplicates, SplittableRandom random) {
        record Slot(int at, int order, Sending sending) {}
        List<Slot> slots = new ArrayList<>(unique + duplicates);
        IntStream.range(0, unique).forEach(i -> slots.add(new Slot(i, 0, new Sending(i, Route.FIRST))));
        int far = Math.max(NEAR + 1, unique / 2);
        for (int i = 1; i <= duplicates; i++) {
            int payment = random.nextInt(unique);
            int distance = random.nextBoolean() ? random.nextInt(NEAR) : random.nextInt(NEAR, far);
            slots.add(new Slot(Math.min(payment + distance, unique - 1), i, new Sending(payment, route(random))));
        }
        return slots.stream()
                .sorted(Comparator.comparingInt(Slot::at).thenComparingInt(Slot::order))
                .map(Slot::sending)
                .toList();
    }

    private static Route route(SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 -> Route.SECOND_PRODUCER;
            case 1 -> Route.SECOND_PRODUCER_WITHOUT_KEY;
            default -> Route.AGAIN;
        };
    }

    /** Everything that goes to Kafka, in this order. */
    List<Sending> sendings() {
        return sendings;
    }

    int unique() {
        return payments.size();
    }

    int duplicates() {
        return sendings.size() - unique();
    }

    int accounts() {
        return accounts;
    }

    Payment payment(int number) {
        return payments.get(number);
    }

    boolean isPoison(int number) {
        return poisons[number] != Poison.NONE;
    }

    int poisonous() {
        return (int) IntStream.range(0, unique()).filter(this::isPoison).count();
    }

    String payload(int number) {
        String json = payments.get(number).toJson();
        return poisons[number] == Poison.BROKEN_JSON ? json.substring(0, json.length() - 1) : json;
    }

    /** What each account must hold in the end, in cents; the index is the account's number, 0 is unused. */
    long[] expectedBalances() {
        long[] balances = new long[accounts + 1];
        for (int i = 0; i < unique(); i++) {
            if (!isPoison(i)) {
                balances[Math.toIntExact(payments.get(i).account())] +=
                        payments.get(i).amount();
            }
        }
        return balances;
    }
}
