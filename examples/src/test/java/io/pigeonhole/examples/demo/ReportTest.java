package io.pigeonhole.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Report GOOD = new Report(1_000, 780, 1_100, 777, 777, 3, 5, 123_456, 123_456, List.of());

    @Test
    void jsonHasTheFieldsInTheirOrder() {
        assertThat(GOOD.toJson())
                .isEqualTo(
                        "{\"sent\":1000,\"unique\":780,\"deliveries\":1100,\"effects\":777,\"lost\":0,\"duplicated\":0,"
                                + "\"parked\":3,\"kills\":5,\"expectedBalance\":123456,\"actualBalance\":123456,"
                                + "\"exactlyOnce\":true}");
    }

    @Test
    void everythingMustHold() {
        assertThat(GOOD.exactlyOnce()).isTrue();
        assertThat(report(778, 777, 3, 123_456, List.of()).exactlyOnce()).isFalse();
        assertThat(report(776, 776, 3, 123_456, List.of()).exactlyOnce()).isFalse();
        assertThat(report(777, 777, 3, 123_455, List.of()).exactlyOnce()).isFalse();
        assertThat(report(777, 777, 3, 123_456, List.of("too few kills")).exactlyOnce())
                .isFalse();
    }

    @Test
    void whatIsNeitherPaidNorParkedIsLost() {
        Report report = report(770, 760, 3, 1, List.of());

        assertThat(report.lost()).isEqualTo(17);
        assertThat(report.duplicated()).isEqualTo(10);
    }

    @Test
    void tableTellsTheDifference() {
        assertThat(report(777, 777, 3, 123_457, List.of()).toTable()).contains("1,234.56", "1,234.57", "off by +0.01");
        assertThat(GOOD.toTable()).contains("equal to the cent");
    }

    private static Report report(long effects, long distinct, long parked, long actual, List<String> objections) {
        return new Report(1_000, 780, 1_100, effects, distinct, parked, 5, 123_456, actual, objections);
    }
}
