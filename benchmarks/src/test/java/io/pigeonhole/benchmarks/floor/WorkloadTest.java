package io.pigeonhole.benchmarks.floor;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.benchmarks.load.UuidVersion;
import io.pigeonhole.core.message.Message;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkloadTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private final Workload workload = generate(WorkloadShape.STANDARD);

    @Test
    void aTenthOfTheDeliveriesAreDuplicates() {
        assertThat(workload.partitions().stream().mapToInt(List::size).sum()).isEqualTo(20_000);
        assertThat(workload.deliveries() - workload.unique()).isBetween(1_800, 2_200);
        assertThat(generate(WorkloadShape.STANDARD.withoutDuplicates()).unique())
                .isEqualTo(20_000);
    }

    @Test
    void sumsAreThoseOfTheDeliveries() {
        Map<String, Long> byId = new HashMap<>();
        long all = 0;
        for (List<Message> partition : workload.partitions()) {
            for (Message message : partition) {
                all += Payment.of(message).amount();
                byId.put(String.valueOf(message.id()), Payment.of(message).amount());
            }
        }
        assertThat(workload.sumOverDeliveries()).isEqualTo(all);
        assertThat(workload.unique()).isEqualTo(byId.size());
        assertThat(workload.sumOverUnique())
                .isEqualTo(byId.values().stream().mapToLong(Long::longValue).sum());
    }

    @Test
    void anAccountIsInOnePartitionOnly() {
        Set<Integer> seen = new HashSet<>();
        for (List<Message> partition : workload.partitions()) {
            Set<Integer> accounts = new HashSet<>();
            partition.forEach(message -> accounts.add(Payment.of(message).account()));
            assertThat(Collections.disjoint(accounts, seen)).isTrue();
            seen.addAll(accounts);
        }
    }

    @Test
    void payloadsHaveThreeHundredBytesAndAreReadBack() {
        Payment payment = new Payment(123_456, 9_999, 1_000);
        Message message = Message.builder("payments").payload(payment.toJson()).build();

        assertThat(message.payload()).hasSize(300);
        assertThat(Payment.of(message)).isEqualTo(payment);
    }

    @Test
    void idsAreUuidsOfVersionSevenWithTheTimeOfTheClock() {
        String id = String.valueOf(workload.partitions().get(0).get(0).id());

        assertThat(id).matches("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
        assertThat(Long.parseLong(id.substring(0, 13).replace("-", ""), 16))
                .isBetween(NOW.toEpochMilli(), NOW.toEpochMilli() + 20_000 / 50);
    }

    @Test
    void idsOfVersionFourAreRandomAndDifferent() {
        Workload random = generate(new WorkloadShape(4, UuidVersion.V4, 10));

        Set<String> ids = new HashSet<>();
        for (List<Message> partition : random.partitions()) {
            partition.forEach(message -> ids.add(String.valueOf(message.id())));
        }
        assertThat(ids)
                .hasSize(random.unique())
                .allMatch(id -> id.matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    }

    @Test
    void thereIsAPartitionForEachThread() {
        Workload forThree = generate(new WorkloadShape(3, UuidVersion.V7, 10));

        assertThat(generate(new WorkloadShape(1, UuidVersion.V7, 10)).partitions())
                .hasSize(1);
        assertThat(forThree.partitions())
                .hasSize(3)
                .allSatisfy(partition -> assertThat(partition).isNotEmpty());
        assertThat(forThree.sumOverUnique()).isEqualTo(workload.sumOverUnique());
    }

    private static Workload generate(WorkloadShape shape) {
        return Workload.generate(20_000, shape, Clock.fixed(NOW, ZoneOffset.UTC));
    }
}
