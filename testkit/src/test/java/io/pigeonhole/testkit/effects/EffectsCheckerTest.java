package io.pigeonhole.testkit.effects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
}
