package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ErrorTextTest {
    @Test
    void nulAndHalvesOfSurrogatePairsAreReplaced() {
        assertThat(ErrorText.bounded("a\0b\uD800c\uDC00d")).isEqualTo("a\uFFFDb\uFFFDc\uFFFDd");
    }

    @Test
    void surrogatePairsStay() {
        assertThat(ErrorText.bounded("x\uD83D\uDC26y")).isEqualTo("x\uD83D\uDC26y");
    }

    @Test
    void aPairThatTheLimitCutsLeavesNoHalf() {
        assertThat(ErrorText.bounded("a".repeat(1_999) + "\uD83D\uDC26")).isEqualTo("a".repeat(1_999) + "\uFFFD");
    }

    @Test
    void longTextsAreCut() {
        assertThat(ErrorText.bounded("a".repeat(5_000))).hasSize(2_000);
    }

    @Test
    void noTextIsEmpty() {
        assertThat(ErrorText.bounded(null)).isEmpty();
    }

    @Test
    void aStackNamesTheExceptionItsTextAndWhereItWasThrown() {
        assertThat(ErrorText.stackOf(new IllegalStateException("no\0money")))
                .contains("IllegalStateException", "no\uFFFDmoney", "ErrorTextTest");
    }
}
