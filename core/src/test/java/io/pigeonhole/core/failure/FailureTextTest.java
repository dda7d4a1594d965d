package io.pigeonhole.core.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
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
