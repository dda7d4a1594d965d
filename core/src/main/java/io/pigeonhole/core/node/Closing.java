package io.pigeonhole.core.node;

import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Closes several things at the same time: one that takes its whole time keeps no other from closing. */
final class Closing {
    /** Each bounds its own closing, by settings of its own. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private Closing() {}

    /** Closes all of them, and returns when they are closed. The step must not throw. */
    static <T> void all(List<T> some, Consumer<T> step) {
        if (some.size() == 1) {
            step.accept(some.get(0));
            return;
        }
        List<Thread> closing = new ArrayList<>();
        for (T one : some) {
            Thread thread = new Thread(() -> step.accept(one), "pigeonhole-close");
            thread.setDaemon(true);
            try {
                thread.start();
                closing.add(thread);
            } catch (OutOfMemoryError e) {
                // No more threads: here, then.
                step.accept(one);
            }
        }
        closing.forEach(thread -> BoundedWait.join(thread, LONGEST));
    }
}
