package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program means as "for ever" is more than a clock in nanoseconds can count. */
class LongestDurationTest {
    private static final Duration FOR_EVER = Duration.ofMillis(Long.MAX_VALUE);

    private final InMemoryStore store = InMemoryStore.create();

    private InboxBuilder<InMemoryContext> inbox() {
        return Inbox.builder("mails", store);
    }

    private static void assertTooLong(ThrowingCallable build, String of, String setting) {
        assertThatThrownBy(build)
                .isInstanceOf(ConfigurationException.class)
                .hasMessage(
                        of + ": " + setting + " is 106751991167 days, the most is 365 days; set what you can wait for");
    }

    @Test
    void timeThatNoClockCanCountIsRefused() {
        assertTooLong(() -> inbox().externalTimeout(FOR_EVER).build(), "inbox 'mails'", "externalTimeout");
        assertTooLong(() -> inbox().handlerTimeout(FOR_EVER).build(), "inbox 'mails'", "handlerTimeout");
        assertTooLong(
                () -> inbox().concurrentDuplicateTimeout(FOR_EVER).build(),
                "inbox 'mails'",
                "concurrentDuplicateTimeout");
        assertTooLong(() -> inbox().slowBatch(FOR_EVER).build(), "inbox 'mails'", "slowBatch");
        assertTooLong(() -> Node.builder(store).maintenanceInterval(FOR_EVER).start(), "node", "maintenanceInterval");
        assertTooLong(
                () -> Replay.builder("again", "mails", store, new Author("me", "because"))
                        .into(PayloadDecoder.text(), (payload, context) -> {})
                        .handlerTimeout(FOR_EVER)
                        .build(),
                "replay 'again'",
                "handlerTimeout");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 366, Long.MAX_VALUE / 86_400})
    void timeOutsideTheBoundsIsRefused(long days) {
        Duration timeout = days == Long.MIN_VALUE ? Duration.ofSeconds(days) : Duration.ofDays(days);

        assertThatThrownBy(() -> inbox().externalTimeout(timeout).build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("externalTimeout");
    }

    @Test
    @Tag("D10")
    void delayThatNoClockCanCountIsRefused() {
        assertThatThrownBy(() -> RetryPolicy.fixed(FOR_EVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than 365 days");
        assertThatThrownBy(() -> RetryPolicy.doubling(Duration.ofSeconds(1), Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than 365 days");
        RetryPolicy custom = RetryPolicy.custom(attempts -> FOR_EVER).maxAge(FOR_EVER);
        assertThatThrownBy(() -> custom.delayAfter(1, Duration.ZERO, new Exception(), new Random(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than 365 days");
        assertThat(RetryPolicy.fixed(Duration.ofDays(1))
                        .maxAge(Duration.ofSeconds(Long.MAX_VALUE))
                        .delayAfter(1, Duration.ofDays(1_000), new Exception(), new Random(1)))
                .isPresent();
    }

    @Test
    @Tag("D10")
    void threadsThatNoMachineHasAreRefused() {
        assertThatThrownBy(() -> Node.builder(store).workers(Integer.MAX_VALUE).start())
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("node: workers 2147483647 is not from 0 to 10000");
        assertThatThrownBy(() -> Node.builder(store).leaseWorkers(10_001).start())
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("node: leaseWorkers 10001 is not from 1 to 10000");
        assertThatThrownBy(() -> DeliverySettings.standard().concurrency(Integer.MAX_VALUE))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("concurrency is 2147483647, the most is 10000");
    }

    @Test
    void yearIsNotTooLong() {
        assertThatCode(() -> inbox().externalTimeout(Duration.ofDays(365)).build())
                .doesNotThrowAnyException();
    }
}
