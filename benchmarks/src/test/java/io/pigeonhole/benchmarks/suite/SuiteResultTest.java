package io.pigeonhole.benchmarks.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SuiteResultTest {
    private static final long SECOND = 1_000_000_000L;
    private static final CpuTime NO_CPU = new CpuTime(0, 0);
    private static final Ratio RATIO = new Ratio("a", "b", 2);

    private final List<String> order = new ArrayList<>();
    private final Suite suite = new Suite("test", List.of(variant("a"), variant("b"), variant("c")), List.of(RATIO));

    @Test
    void ratiosArePairedWithinEachRound() {
        // The median of a is 30, that of b is 10; but in the round in the middle a is twice as fast.
        SuiteResult result = new SuiteResult(suite, Map.of(), List.of(round(30, 30), round(20, 10), round(50, 5)));

        assertThat(result.ratio(RATIO)).isEqualTo(new Spread(2, 1, 10));
        assertThat(result.messagesPerSecond("a")).isEqualTo(new Spread(30, 20, 50));
    }

    @Test
    void ratioPerEffectLeavesSkippedDuplicatesOut() {
        Round round = new Round(
                Map.of("a", new Measurement(100, 90, SECOND, NO_CPU), "b", new Measurement(100, 100, SECOND, NO_CPU)));

        assertThat(new SuiteResult(suite, Map.of(), List.of(round))
                        .ratioPerEffect(RATIO)
                        .median())
                .isEqualTo(0.9);
    }

    @Test
    void medianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
        assertThat(Spread.of(4, 1, 3, 100)).isEqualTo(new Spread(3.5, 1, 100));
    }

    @Test
    void everyVariantRunsInEveryRoundAndTheOrderChanges() throws Exception {
        List<Round> rounds = new SuiteRunner(suite, Duration.ofDays(1), line -> {}).run(2);

        assertThat(rounds).hasSize(2);
        assertThat(rounds.get(1).measurements()).containsOnlyKeys("a", "b", "c");
        assertThat(order).hasSize(9);
        assertThat(order.subList(3, 6)).isNotEqualTo(order.subList(6, 9)).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void noFurtherRoundBeginsWhenTheBudgetIsSpent() throws Exception {
        assertThat(new SuiteRunner(suite, Duration.ZERO, line -> {}).run(9)).hasSize(1);
    }

    @Test
    void jsonHasRoundsAndRatiosInTheFormOfEverySuite() {
        SuiteResult result = new SuiteResult(suite, Map.of("PostgreSQL", "15"), List.of(round(20, 10), round(40, 10)));

        JsonNode json = JsonMapper.shared().readTree(new JsonReport(result).text());

        assertThat(json.get("suite").asString()).isEqualTo("test");
        assertThat(json.get("rounds").get(1).get("a").asLong()).isEqualTo(40);
        assertThat(json.get("ratios").get("a/b").get("median").asDouble()).isEqualTo(3);
        assertThat(json.get("ratios").get("a/b").get("min").asDouble()).isEqualTo(2);
        assertThat(json.get("ratios").get("a/b").get("max").asDouble()).isEqualTo(4);
        assertThat(json.get("ratios").get("a/b").get("target").asDouble()).isEqualTo(2);
    }

    @Test
    void figuresBesidesTheRoundsSayWhetherTheyReachTheirTargets() {
        List<Figure> figures = List.of(
                Figure.atMost("p99 under load", 300, "ms", 250),
                Figure.atLeast("sustained", 12_000, "events/s", 10_000),
                Figure.of("idle", 0.5, "/s"));
        SuiteResult result = new SuiteResult(suite, Map.of(), List.of(round(20, 10)), figures);

        assertThat(new TableReport(result).text())
                .containsPattern("p99 under load +300.0 ms +≤ 250 MISSED")
                .containsPattern("sustained +12,000.0 events/s +≥ 10,000 reached")
                .containsPattern("idle +0.5 /s\\n");
        JsonNode json =
                JsonMapper.shared().readTree(new JsonReport(result).text()).get("figures");
        assertThat(json.get("p99 under load").get("atMost").asInt()).isEqualTo(250);
        assertThat(json.get("sustained").get("atLeast").asInt()).isEqualTo(10_000);
        assertThat(json.get("idle").propertyNames()).containsExactly("value", "unit");
    }

    @Test
    void processorTimeIsToldForEachMessage() {
        CpuTime cpu = new CpuTime(2_000_000, 3_000_000);
        Measurement measurement = new Measurement(1_000, 900, SECOND, cpu);

        assertThat(measurement.clientMicros()).isEqualTo(2);
        assertThat(measurement.serverMicros()).isEqualTo(3);
        assertThat(cpu.since(new CpuTime(500_000, 1_000_000))).isEqualTo(new CpuTime(1_500_000, 2_000_000));
    }

    @Test
    void tableSaysWhetherTheTargetWasReached() {
        SuiteResult slow = new SuiteResult(suite, Map.of(), List.of(round(19, 10)));
        SuiteResult fast = new SuiteResult(suite, Map.of(), List.of(round(20, 10)));

        assertThat(new TableReport(slow).text())
                .contains("a/b")
                .contains("1.90")
                .contains("MISSED");
        assertThat(new TableReport(fast).text()).contains("reached");
    }

    @Test
    void aVariantThatBreaksAnInvariantIsShownAsSuchInTableAndJson() {
        Round wrong = new Round(Map.of(
                "a",
                new Measurement(20, 20, SECOND, NO_CPU, "left 21 effects, it should have left 20"),
                "b",
                new Measurement(10, 10, SECOND, NO_CPU),
                "c",
                new Measurement(1, 1, 1, NO_CPU)));
        SuiteResult result = new SuiteResult(suite, Map.of(), List.of(round(20, 10), wrong));

        assertThat(result.violations("a")).containsExactly("round 2: left 21 effects, it should have left 20");
        assertThat(new TableReport(result).text())
                .containsPattern("a .*VIOLATED")
                .contains("VIOLATED by a in 1 of 2 rounds")
                .contains("round 2: left 21 effects, it should have left 20")
                .doesNotContain("reached");
        JsonNode violations =
                JsonMapper.shared().readTree(new JsonReport(result).text()).get("violations");
        assertThat(violations.propertyNames()).containsExactly("a");
        assertThat(violations.get("a").get(0).asString()).startsWith("round 2: ");
    }

    @Test
    void runGoesOnAfterAMeasurementWithAViolation() throws Exception {
        List<String> lines = new ArrayList<>();
        Variant wrong = new Variant() {
            @Override
            public String name() {
                return "wrong";
            }

            @Override
            public Measurement measure() {
                return new Measurement(1, 1, 1, NO_CPU, "left nothing");
            }
        };

        Suite both = new Suite("test", List.of(wrong, variant("a")), List.of());
        List<Round> rounds = new SuiteRunner(both, Duration.ofDays(1), lines::add).run(2);

        assertThat(rounds).hasSize(2);
        assertThat(new SuiteResult(both, Map.of(), rounds).violations("wrong")).hasSize(2);
        assertThat(lines)
                .filteredOn(line -> line.contains("VIOLATED: left nothing"))
                .hasSize(3);
    }

    @Test
    void ratioBetweenUnknownVariantsIsRefused() {
        List<Variant> variants = List.of(variant("a"));
        List<Ratio> ratios = List.of(new Ratio("a", "z", 0));

        assertThatThrownBy(() -> new Suite("test", variants, ratios)).hasMessageContaining("a/z");
    }

    private static Round round(long a, long b) {
        return new Round(Map.of(
                "a",
                new Measurement(a, a, SECOND, NO_CPU),
                "b",
                new Measurement(b, b, SECOND, NO_CPU),
                "c",
                new Measurement(1, 1, 1, NO_CPU)));
    }

    private Variant variant(String name) {
        return new Variant() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Measurement measure() {
                order.add(name);
                return new Measurement(1, 1, 1, NO_CPU);
            }
        };
    }
}
