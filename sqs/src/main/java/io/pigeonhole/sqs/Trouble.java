package io.pigeonhole.sqs;

import io.pigeonhole.core.failure.FailureText;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Tells of the errors of one kind of call: with a warning once, until it works again. Safe for use by many threads. */
final class Trouble {
    private static final Logger log = LoggerFactory.getLogger(Trouble.class);

    private final String what;
    private final Consumer<Throwable> whenFinal;
    private final AtomicBoolean told = new AtomicBoolean();

    Trouble(String what, Consumer<Throwable> whenFinal) {
        this.what = what;
        this.whenFinal = whenFinal;
    }

    /** The call failed. */
    void is(RuntimeException failure) {
        if (isFinal(failure)) {
            whenFinal.accept(failure);
        }
        log.atLevel(told.getAndSet(true) ? Level.DEBUG : Level.WARN)
                .setCause(failure)
                .log("{} failed; it is tried again as long as it makes sense", what);
    }

    /** What cannot be classified is tried again. */
    private static boolean isFinal(RuntimeException failure) {
        try {
            return SqsQueue.isFinal(failure);
        } catch (RuntimeException e) {
            log.debug("an error cannot be classified", FailureText.readable(e));
            return false;
        }
    }

    /** The call succeeded. */
    void isOver() {
        if (told.getAndSet(false)) {
            log.info("{} works again", what);
        }
    }
}
