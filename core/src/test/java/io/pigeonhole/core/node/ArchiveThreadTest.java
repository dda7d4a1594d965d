package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.store.Retention;
import io.pigeonhole.core.store.Retired;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("D5")
class ArchiveThreadTest {
    private final AtomicInteger asked = new AtomicInteger();
    private final Semaphore answers = new Semaphore(0);
    private final AtomicLong now = new AtomicLong();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Retention slow = new Retention() {
        @Override
        public Duration window() {
            return Duration.ofDays(7);
        }

        @Override
        public Retired retire() {
            return retireArchived();
        }

        @Override
        public Retired retireArchived() {
            asked.incrementAndGet();
            answers.acquireUninterruptibly();
            return Retired.NOTHING;
        }
    };
    private final ArchiveThread archive = new ArchiveThread(slow, now::get, warnings::add);

    @AfterEach
    void end() {
        answers.release(1_000);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
        archive.warnWhereItHangs();
    }

    private void begin() {
        archive.begin(archive::piece);
    }

    @Test
    void archiveThatHasNotComeBackForTenMinutesIsWarnedOfAndRarelyAgain() {
        begin();
        await().until(() -> asked.get() == 1);
        pass(Duration.ofMinutes(9));
        assertThat(warnings).isEmpty();
        pass(Duration.ofMinutes(1));
        assertThat(warnings).singleElement().asString().contains("10 min");
        pass(Duration.ofHours(5));
        assertThat(warnings).hasSize(1);
        pass(Duration.ofHours(1));
        assertThat(warnings).hasSize(2);
    }

    @Test
    void archiveThatComesBackEachTimeIsNotWarnedOf() {
        for (int i = 1; i <= 4; i++) {
            begin();
            int times = i;
            await().until(() -> asked.get() == times);
            pass(Duration.ofMinutes(9));
            answers.release();
            assertThat(archive.hasEnded(Duration.ofSeconds(30))).isTrue();
            pass(Duration.ofHours(1));
        }
        assertThat(warnings).isEmpty();
    }

    @Test
    void whileOneIsUnderWayNoOtherBegins() {
        begin();
        await().until(() -> asked.get() == 1);
        begin();
        assertThat(archive.hasEnded(Duration.ZERO)).isFalse();
        answers.release();
        assertThat(archive.hasEnded(Duration.ofSeconds(30))).isTrue();
        assertThat(asked).hasValue(1);
        begin();
        await().until(() -> asked.get() == 2);
    }
}
