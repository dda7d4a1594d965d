package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Deliveries, dealt out to partitions by their account, and what they must add up to. Immutable; made before anything is timed.
 *
 * @param partitions the deliveries of each partition in order
 * @param deliveries how many deliveries there are
 * @param unique how many different messages are among them
 * @param sumOverDeliveries the sum of the amounts where every delivery takes effect
 * @param sumOverUnique the sum of the amounts where every message takes effect once
 */
public record Workload(
        List<List<Message>> partitions, int deliveries, int unique, long sumOverDeliveries, long sumOverUnique) {
    static final int ACCOUNTS = 10_000;
    static final String TYPE = "payment.requested";
    private static final int NEAR = 50;
    private static final int LARGEST_AMOUNT = 1000;
    private static final long SEED = 20261101;

    /**
     * Makes a workload; the same one for the same arguments, but for the time in the ids. Half of the duplicates repeat
     * one of the last 50 deliveries, which often are in the same batch, half of them any.
     *
     * @param deliveries how many
     * @param shape what they look like; there is a partition for each of its threads
     * @param clock the time of the first id
     */
    public static Workload generate(int deliveries, WorkloadShape shape, Clock clock) {
        Random random = new Random(SEED);
        Supplier<String> ids = shape.ids().producer(clock, random);
        List<List<Message>> partitions = new ArrayList<>();
        for (int i = 0; i < shape.threads(); i++) {
            partitions.add(new ArrayList<>());
        }
        List<Message> sent = new ArrayList<>(deliveries);
        long sumOverUnique = 0;
        long sumOverDeliveries = 0;
        int unique = 0;
        while (sent.size() < deliveries) {
            Message message;
            if (!sent.isEmpty() && random.nextInt(100) < shape.duplicatePercent()) {
                int back = random.nextBoolean() ? Math.min(NEAR, sent.size()) : sent.size();
                message = sent.get(sent.size() - 1 - random.nextInt(back));
            } else {
                Payment payment = new Payment(unique++, random.nextInt(ACCOUNTS), 1 + random.nextInt(LARGEST_AMOUNT));
                message = message(ids.get(), payment);
                sumOverUnique += payment.amount();
            }
            Payment payment = Payment.of(message);
            sumOverDeliveries += payment.amount();
            sent.add(message);
            partitions.get(partitionOf(payment.account(), shape.threads())).add(message);
        }
        return new Workload(List.copyOf(partitions), deliveries, unique, sumOverDeliveries, sumOverUnique);
    }

    private static Message message(String id, Payment payment) {
        return Message.builder("payments")
                .id(id)
                .type(TYPE)
                .orderingKey("account-" + payment.account())
                .contentType("application/json")
                .payload(payment.toJson())
                .build();
    }

    private static int partitionOf(int account, int partitions) {
        return Math.floorMod(("account-" + account).hashCode(), partitions);
    }
}
