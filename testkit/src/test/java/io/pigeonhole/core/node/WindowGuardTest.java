package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ConfigurationException;
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
    private final Inbox<InMemoryContext> inbox =
            Inbox.builder("payments", store).build();

    /** Knows its horizon, and nothing else. */
    private record Told(Inbox<?> inbox, RedeliveryHorizon horizon, List<String> started) implements Source {
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
        public RedeliveryHorizon redeliveryHorizon() {
            if (horizon.origin().isEmpty()) {
                throw new IllegalStateException("the broker is away");
            }
            return horizon;
        }

        @Override
        public void close() {}
    }

    private NodeBuilder node(RedeliveryHorizon horizon, List<String> started) {
        return Node.builder(store).source(new Told(inbox, horizon, started));
    }

    @Test
    void windowThatIsShorterThanTheHorizonIsRefusedWithTheNumbers() {
        List<String> started = new ArrayList<>();
        NodeBuilder node = node(RedeliveryHorizon.of(Duration.ofDays(14), "retention.ms"), started)
                .windowGuard(WindowGuard.REFUSE);

        assertThatThrownBy(node::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("a topic: retention.ms may deliver a message again for PT336H")
                .hasMessageContaining("PT168H");
        assertThat(started).isEmpty();
    }

    @Test
    void brokerThatForgetsNothingIsRefused() {
        NodeBuilder node = node(RedeliveryHorizon.unlimited("retention.ms=-1"), new ArrayList<>())
                .windowGuard(WindowGuard.REFUSE);

        assertThatThrownBy(node::start).hasMessageContaining("retention.ms=-1 keeps messages for ever");
    }

    @Test
    void windowThatIsLongEnoughAndHorizonsThatNobodyKnowsAreNotRefused() {
        for (RedeliveryHorizon horizon : List.of(
                RedeliveryHorizon.of(Duration.ofDays(7), "retention.ms"),
                RedeliveryHorizon.unknown("no idea"),
                RedeliveryHorizon.unknown(""))) {
            List<String> started = new ArrayList<>();
            try (Node node =
                    node(horizon, started).windowGuard(WindowGuard.REFUSE).start()) {
                assertThat(node.windowVerdicts()).hasSize(1).noneMatch(WindowVerdict::isTooShort);
                assertThat(started).hasSize(1);
            }
        }
    }

    @Test
    void nodeThatOnlyWarnsStartsAndKnowsItsVerdict() {
        try (Node node = node(RedeliveryHorizon.unlimited("retention.ms=-1"), new ArrayList<>())
                .start()) {
            await().until(() -> node.windowVerdicts().size() == 1);
            assertThat(node.windowVerdicts()).allMatch(WindowVerdict::isTooShort);
        }
    }

    @Test
    @SuppressWarnings("try") // It is started, that is all.
    void guardThatIsOffAsksNobody() {
        try (Node node = node(RedeliveryHorizon.unknown(""), new ArrayList<>())
                .windowGuard(WindowGuard.OFF)
                .start()) {
            assertThat(node.windowVerdicts()).isEmpty();
        }
    }
}
