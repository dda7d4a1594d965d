package io.pigeonhole.testkit.effects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.UnknownConsumerException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EffectsCheckerTest {
    private static EffectsChecker sent(String... ids) {
        return EffectsChecker.expecting(List.of(ids));
    }

    @Test
    void nothingIsWrongWhenEveryMessageHasOneEffectOrIsKeptAside() {
        EffectsReport report = sent("a", "b", "c", "d", "a")
                .effects(List.of("b", "a"))
                .parked(List.of("c"))
                .dead(List.of("d"))
                .check();

        assertThat(report.isExactlyOnce()).isTrue();
        report.assertExactlyOnce();
    }

    @Test
    void messageWithoutEffectIsLost() {
        assertThat(sent("a", "b").effects(List.of("a")).check().lost()).containsExactly("b");
    }

    @Test
    void messageWithSeveralEffectsIsDuplicated() {
        assertThat(sent("a", "b").effects(List.of("a", "b", "a", "a")).check().duplicated())
                .isEqualTo(Map.of("a", 3));
    }

    @Test
    void effectOfAMessageThatNobodySentIsAPhantom() {
        assertThat(sent("a").effects(List.of("a", "x")).check().phantom()).containsExactly("x");
    }

    @Test
    void parkedMessageThatNobodySentIsAPhantom() {
        assertThat(sent("a").effects(List.of("a")).parked(List.of("x")).check().phantom())
                .containsExactly("x");
    }

    @Test
    void effectOfAMessageThatIsKeptAsideIsAPhantom() {
        assertThat(sent("a").effects(List.of("a")).parked(List.of("a")).check().phantom())
                .containsExactly("a");
    }

    @Test
    void unfinishedMessageIsStuckAndNotLost() {
        EffectsReport report = sent("a").unfinished(List.of("a")).check();

        assertThat(report.stuck()).containsExactly("a");
        assertThat(report.lost()).isEmpty();
        assertThat(report.isExactlyOnce()).isFalse();
    }

    @Test
    void failureNamesEveryKindAndTheFirstIds() {
        List<String> many = IntStream.range(0, 25).mapToObj(i -> "m" + i).toList();
        EffectsReport report =
                EffectsChecker.expecting(many).effects(List.of("x", "x")).check();

        assertThatThrownBy(report::assertExactlyOnce)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("lost: 25: m0, m1,")
                .hasMessageNotContaining("m24")
                .hasMessageContaining("duplicated: 1: x (2 times)")
                .hasMessageContaining("phantom: 1: x")
                .hasMessageContaining("stuck: none");
    }

    @Test
    void inboxIsAskedForWhatItKeeps() {
        InMemoryStore store = InMemoryStore.create();
        Inbox<InMemoryContext> inbox = Inbox.builder("test", store)
                .handle("text", PayloadDecoder.text(), (text, context) -> {
                    throw new IllegalStateException("no");
                })
                .build();
        List<String> ids = IntStream.range(0, 1_001).mapToObj(i -> "id-" + i).toList();
        inbox.process(ids.stream().map(id -> message(id, "text")).toList());
        inbox.process(message("dead", "unknown"));

        EffectsReport report =
                sent(ids.toArray(String[]::new)).keptBy(store.admin(), "test").check();
        assertThat(report.lost()).isEmpty();
        assertThat(report.phantom()).as("kept, and not sent").containsExactly("dead");
        assertThatThrownBy(() -> sent().keptBy(store.admin(), "another")).isInstanceOf(UnknownConsumerException.class);
    }

    private static Message message(String id, String type) {
        return Message.builder("s").id(id).type(type).payload("x").build();
    }
}
