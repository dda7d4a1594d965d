package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How often somebody is warned of messages that cannot even be dead letters. */
@Tag("D12")
class NotStoredWarningsTest {
    private final AtomicLong now = new AtomicLong();
    private final NotStoredWarnings warnings = new NotStoredWarnings("payments", now::get);

    @Test
    void manyMessagesThatComeAgainEachSecondAreWarnedOfOnceInAMinute() {
        int given = 0;
        for (int second = 0; second < 180; second++) {
            for (int message = 0; message < 20; message++) {
                given += warnings.busy(message("" + message), new IllegalStateException("no")) ? 1 : 0;
            }
            now.addAndGet(Duration.ofSeconds(1).toNanos());
        }
        assertThat(given).isEqualTo(3);
    }

    private static Message message(String id) {
        return Message.builder("queue").id(id).payload("x").build();
    }
}
