package io.pigeonhole.testkit.memory;

import java.util.ArrayList;
import java.util.List;

/** How to undo what a transaction has done, step by step from the last one back. */
final class Undo {
    private final List<Runnable> steps = new ArrayList<>();

    void add(Runnable step) {
        steps.add(step);
    }

    /** A place to come back to. */
    int mark() {
        return steps.size();
    }

    void backTo(int mark) {
        while (steps.size() > mark) {
            steps.remove(steps.size() - 1).run();
        }
    }
}
