package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("E12")
class LogBudgetTest {
    @Test
    void tenLinesAMinuteAreLoggedAndTheRestIsCounted() {
        LogBudget budget = new LogBudget();
        long now = System.nanoTime();
        assertThat(IntStream.range(0, 10).map(i -> budget.take(now))).containsOnly(0);
        assertThat(IntStream.range(0, 500).map(i -> budget.take(now + i))).containsOnly(-1);
        assertThat(budget.take(now + TimeUnit.MINUTES.toNanos(1))).isEqualTo(500);
        assertThat(budget.take(now + TimeUnit.MINUTES.toNanos(1))).isZero();
    }
}
