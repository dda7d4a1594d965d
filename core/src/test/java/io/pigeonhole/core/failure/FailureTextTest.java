package io.pigeonhole.core.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("B3")
class FailureTextTest {
    private static final Duration LONGEST = Duration.ofSeconds(30);

    /** An exception that fails at whatever it is asked. */
    private static class Silent extends Exception {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new NoClassDefFoundError("com/example/Text");
        }

        @Override
        public String toString() {
            throw new NoClassDefFoundError("com/example/Text");
        }
    }

    /** Has a new cause whenever it is asked. */
    private static final class Endless extends Exception {
        private static final long serialVersionUID = 1L;

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // It has no state.
        public @Nullable Throwable getCause() {
            return new Endless();
        }
    }

    private static Exception cycle() {
        Exception one = new Exception("one");
        one.initCause(new Exception("other", one));
        return one;
    }

    @Test
    void textThatCannotBeReadIsSaidToBeSo() {
        assertThat(FailureText.messageOf(new Silent()))
                .isEqualTo("(its getMessage throws java.lang.NoClassDefFoundError)");
        assertThat(FailureText.describe(new Silent())).startsWith(Silent.class.getName());
        assertThat(FailureText.stackOf(new Silent())).contains("NoClassDefFoundError");
    }

    @Test
    void stacksHaveAnEnd() {
        Assertions.assertTimeoutPreemptively(LONGEST, () -> {
            assertThat(FailureText.stackOf(new Endless())).contains("Endless").hasSize(16_000);
            assertThat(FailureText.stackOf(cycle())).contains("one", "other");
        });
    }

    @Test
    void causesHaveAnEnd() {
        Assertions.assertTimeoutPreemptively(LONGEST, () -> {
            assertThat(Causes.of(new Endless())).hasSize(100);
            assertThat(Causes.of(cycle())).hasSize(2);
        });
    }

    @Test
    void causeThatCannotBeReadIsNone() {
        Exception failure = new Exception() {
            private static final long serialVersionUID = 1L;

            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized") // It has no state.
            public Throwable getCause() {
                throw new OutOfMemoryError("a cause");
            }
        };
        assertThat(Causes.of(failure)).containsExactly(failure);
        assertThat(FailureText.readable(failure)).isNotSameAs(failure);
    }

    @Test
    void innermostCauseWithATextIsNamed() {
        Throwable failure = new IllegalStateException(
                "boom", new ExecutionException("in a pool", new IOException("duplicate key", new SocketException())));

        assertThat(FailureText.describeWithCause(failure))
                .isEqualTo("java.lang.IllegalStateException: boom; caused by java.io.IOException: duplicate key");
        assertThat(FailureText.messageWithCause(failure))
                .isEqualTo("boom; caused by java.io.IOException: duplicate key");
    }

    @Test
    void causeThatTheTextRepeatsIsNotNamedAgain() {
        Exception cause = new IOException("duplicate key");

        assertThat(FailureText.describeWithCause(new RuntimeException(cause)))
                .isEqualTo("java.lang.RuntimeException: java.io.IOException: duplicate key");
        assertThat(FailureText.describeWithCause(new RuntimeException("not booked: duplicate key", cause)))
                .isEqualTo("java.lang.RuntimeException: not booked: duplicate key; caused by java.io.IOException");
        assertThat(FailureText.describeWithCause(cause)).isEqualTo("java.io.IOException: duplicate key");
    }

    @Test
    void causesWithoutATextAreNamedByTheClassOfTheInnermost() {
        assertThat(FailureText.describeWithCause(
                        new RuntimeException("boom", new Exception(null, new SocketException()))))
                .isEqualTo("java.lang.RuntimeException: boom; caused by java.net.SocketException");
        assertThat(FailureText.messageWithCause(new RuntimeException(null, new IOException("duplicate key"))))
                .isEqualTo("caused by java.io.IOException: duplicate key");
    }

    @Test
    void nothingIsSaidOfWhatTextsOfOurOwnAndFinalOnesLeaveOut() {
        Exception cause = new IOException("a value");
        Exception ours = new PigeonholeException("the database refused it", cause);

        assertThat(FailureText.messageWithCause(ours)).isEqualTo("the database refused it");
        assertThat(FailureText.messageWithCause(new RuntimeException("boom", ours)))
                .isEqualTo("boom; caused by " + PigeonholeException.class.getName() + ": the database refused it");
        assertThat(FailureText.describeWithCause(new PermanentFailure("no such account", cause)))
                .isEqualTo("no such account");
    }

    @Test
    void longTextLeavesRoomForItsCause() {
        Exception failure = new Exception("x".repeat(5_000), new IOException("y".repeat(5_000)));

        assertThat(FailureText.describeWithCause(failure))
                .hasSize(2_000)
                .contains("xx…; caused by java.io.IOException: yy")
                .endsWith("yy…");
    }

    @Test
    void causesWithoutAnEndAndWithoutTextsAreNamed() {
        Assertions.assertTimeoutPreemptively(LONGEST, () -> {
            assertThat(FailureText.describeWithCause(new Endless())).startsWith(Endless.class.getName());
            assertThat(FailureText.describeWithCause(cycle()))
                    .isEqualTo("java.lang.Exception: one; caused by java.lang.Exception: other");
            assertThat(FailureText.describeWithCause(new Exception("one", new Silent())))
                    .contains("caused by " + Silent.class.getName());
        });
    }

    @Test
    void whatLoggersCanPrintStaysItself() {
        Exception failure = new IllegalStateException("plain", new Exception("cause"));
        failure.addSuppressed(new Exception("while closing"));

        assertThat(FailureText.readable(failure)).isSameAs(failure);
    }

    @Test
    void whatLoggersCannotPrintIsReplacedByWhatCanBeReadOfIt() {
        for (Throwable failure : List.of(new Silent(), new Exception("hidden", new Silent()), new Endless(), cycle())) {
            Throwable readable = FailureText.readable(failure);

            assertThat(readable)
                    .hasNoCause()
                    .hasMessageStartingWith(failure.getClass().getName());
            assertThat(readable.getStackTrace()).isEqualTo(failure.getStackTrace());
        }
    }
}
