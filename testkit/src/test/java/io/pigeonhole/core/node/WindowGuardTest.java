package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WindowGuardTest {
    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .handleOther(PayloadDecoder.bytes(), (payload, context) -> {})
            .build();

    /** Knows its redelivery window, and nothing else. */
    private record Told(Inbox<?> inbox, RedeliveryWindow redeliveryWindow, List<String> started) implements Source {
        @Override
        public String name() {
            return "a topic";
        }

        @Override
        public void start() {
            started.add(name());
        }

        @Override
        public SourceState state() {
            return SourceState.RUNNING;
        }

        @Override
        public @Nullable Throwable failure() {
            return null;
        }

        @Override
        public RedeliveryWindow redeliveryWindow() {
            if (redeliveryWindow.origin().isEmpty()) {
                throw new IllegalStateException("the broker is away");
            }
            return redeliveryWindow;
        }

        @Override
        public void close() {}
    }

    private NodeBuilder node(RedeliveryWindow redeliveryWindow, List<String> started) {
        return Node.builder(store).source(new Told(inbox, redeliveryWindow, started));
    }

    @Test
    void windowThatIsShorterThanTheBoundsIsRefusedWithTheNumbers() {
        List<String> started = new ArrayList<>();
        NodeBuilder node = node(RedeliveryWindow.of(Duration.ofDays(14), "retention.ms"), started)
                .windowGuard(WindowGuard.REFUSE);

        assertThatThrownBy(node::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("a topic: retention.ms may deliver a message again for 14 days")
                .hasMessageContaining("the store remembers keys for 7 days only")
                .hasMessageContaining("Set window of the store's builder to 14 days");
        assertThat(started).isEmpty();
    }

    @Test
    void brokerThatForgetsNothingIsRefused() {
        NodeBuilder node = node(RedeliveryWindow.unlimited("retention.ms=-1"), new ArrayList<>())
                .windowGuard(WindowGuard.REFUSE);

        assertThatThrownBy(node::start)
                .hasMessageContaining("retention.ms=-1 keeps messages for ever")
                .hasMessageContaining("Let the broker delete messages within that time");
    }

    @Test
    void verdictNamesTheNumberThatWouldBeEnough() {
        Duration week = Duration.ofDays(7);

        assertThat(verdict(week, Duration.ofHours(24 * 14 + 1)))
                .contains("for 14 days 1 hour", "Set window of the store's builder to 15 days, or let the broker")
                .endsWith("delete messages within 7 days");
        assertThat(verdict(Duration.ofHours(1), Duration.ofMinutes(90))).contains("builder to 2 hours");
        assertThat(verdict(week, Duration.ofDays(400)))
                .contains("No window is that long: let the broker", "watermarks");
        assertThat(verdict(week, Duration.ofDays(1))).endsWith("for 1 day, the store remembers keys for 7 days");
    }

    private static String verdict(Duration window, Duration redelivery) {
        return new WindowVerdict("a topic", window, RedeliveryWindow.of(redelivery, "retention.ms")).describe();
    }

    @Test
    void windowThatIsLongEnoughAndBoundsThatNobodyKnowsAreNotRefused() {
        for (RedeliveryWindow redeliveryWindow : List.of(
                RedeliveryWindow.of(Duration.ofDays(7), "retention.ms"),
                RedeliveryWindow.unknown("no idea"),
                RedeliveryWindow.unknown(""))) {
            List<String> started = new ArrayList<>();
            try (Node node = node(redeliveryWindow, started)
                    .windowGuard(WindowGuard.REFUSE)
                    .start()) {
                assertThat(node.windowVerdicts()).hasSize(1).noneMatch(WindowVerdict::isTooShort);
                assertThat(started).hasSize(1);
            }
        }
    }

    @Test
    void nodeThatOnlyWarnsStartsAndKnowsItsVerdict() {
        try (Node node = node(RedeliveryWindow.unlimited("retention.ms=-1"), new ArrayList<>())
                .start()) {
            await().until(() -> node.windowVerdicts().size() == 1);
            assertThat(node.windowVerdicts()).allMatch(WindowVerdict::isTooShort);
        }
    }

    @Test
    @SuppressWarnings("try") // It is started, that is all.
    void guardThatIsOffAsksNobody() {
        try (Node node = node(RedeliveryWindow.unknown(""), new ArrayList<>())
                .windowGuard(WindowGuard.OFF)
                .start()) {
            assertThat(node.windowVerdicts()).isEmpty();
        }
    }
}
