package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.jdbc.dialect.SavepointStep;
import java.util.ArrayList;
import java.util.List;

/**
 * The savepoints that one handler has set, in the order in which they stand in the transaction. To go back to one of an earlier
 * handler would take that handler's effects along, and keep the claim of its message. Used by one thread at a time.
 */
final class HandlerSavepoints {
    private final List<String> names = new ArrayList<>();

    /** What stands now, for {@link #failed}. */
    List<String> now() {
        return names.isEmpty() ? List.of() : List.copyOf(names);
    }

    /**
     * What the handler is about to execute.
     *
     * @throws IllegalStateException if it goes back to or releases a savepoint that this handler has not set, or has released
     */
    void take(List<SavepointStep> steps) {
        if (steps.isEmpty()) {
            return;
        }
        List<String> after = behind(steps);
        names.clear();
        names.addAll(after);
    }

    /** The same without executing it. */
    void check(List<SavepointStep> steps) {
        behind(steps);
    }

    /** What was about to be executed failed: only what stood before is sure to stand. */
    void failed(List<String> before) {
        int same = 0;
        while (same < before.size() && same < names.size() && before.get(same).equals(names.get(same))) {
            same++;
        }
        names.subList(same, names.size()).clear();
    }

    private List<String> behind(List<SavepointStep> steps) {
        List<String> after = new ArrayList<>(names);
        for (SavepointStep step : steps) {
            int place = after.lastIndexOf(step.name());
            switch (step.kind()) {
                case SET -> after.add(step.name());
                case BACK -> {
                    requireOwn(place, "go back to", step);
                    after.subList(place + 1, after.size()).clear();
                }
                case RELEASE -> {
                    requireOwn(place, "release", step);
                    after.subList(place, after.size()).clear();
                }
            }
        }
        return after;
    }

    private static void requireOwn(int place, String what, SavepointStep step) {
        if (place < 0) {
            throw new IllegalStateException("a handler may not " + what + " savepoint " + step.name()
                    + ": it has set none of that name, or released it, and one of an earlier handler would take that one's"
                    + " effects along, or all savepoints of this one");
        }
    }
}
