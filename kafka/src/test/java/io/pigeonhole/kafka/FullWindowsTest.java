package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class FullWindowsTest {
    private static final TopicPartition ONE = new TopicPartition("t", 1);
    private static final TopicPartition TWO = new TopicPartition("t", 2);

    private final AtomicLong now = new AtomicLong();
    private final FullWindows windows = new FullWindows(20, now::get);

    private void pass(int seconds) {
        now.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void eachPartitionThatWaitsForOneRecordForAMinuteIsNamed() {
        windows.are(Map.of(ONE, 7L, TWO, 8L));
        pass(59);
        windows.are(Map.of(ONE, 7L, TWO, 8L));
        assertThat(windows.problems()).isEmpty();
        pass(1);
        assertThat(windows.problems()).hasSize(2);
        assertThat(windows.problems().get(0)).contains("t-1", "offset 7", "60 s", "window 20");
        assertThat(windows.problems().get(1)).contains("t-2", "offset 8");
    }

    @Test
    void partitionWhoseOldestUnfinishedRecordChangesGoesOn() {
        windows.are(Map.of(ONE, 7L));
        pass(50);
        windows.are(Map.of(ONE, 8L));
        pass(50);
        assertThat(windows.problems()).isEmpty();
    }

    @Test
    void partitionThatIsReadAgainIsNoProblemAnyMore() {
        windows.are(Map.of(ONE, 7L));
        pass(100);
        assertThat(windows.problems()).hasSize(1);
        windows.are(Map.of());
        assertThat(windows.problems()).isEmpty();
        windows.are(Map.of(ONE, 7L));
        pass(30);
        assertThat(windows.problems()).isEmpty();
    }
}
