package io.pigeonhole.testkit.crash;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What happens at which {@link CrashPoint}: usually {@link #halt()} in a process of its own, but an action may also throw
 * what a database would. It counts the passages of every point, with or without actions, so that a run without a crash
 * shows which points a run with one can have. Safe for use by many threads.
 */
public final class CrashPlan {
    /** What a process that was killed exits with. */
    public static final int HALTED = 137;

    private final Map<CrashPoint, Integer> passages = new EnumMap<>(CrashPoint.class);
    private final List<Step> steps = new ArrayList<>();
    private final Set<Step> unreached = new LinkedHashSet<>();

    private record Step(CrashPoint point, int first, int last, Runnable action) {
        boolean isAt(CrashPoint passed, int passage) {
            return point == passed && first <= passage && passage <= last;
        }

        @Override
        public String toString() {
            return first == last ? point + " (passage " + first + ")" : String.valueOf(point);
        }
    }

    private CrashPlan() {}

    /**
     * A plan in which nothing happens yet.
     *
     * @return a new plan
     */
    public static CrashPlan none() {
        return new CrashPlan();
    }

    /**
     * A plan to end this process at one point, at once: no hook, no finally, no rollback runs.
     *
     * @param point where
     * @param passage at which passage of it, from 1
     * @return a new plan
     */
    public static CrashPlan haltAt(CrashPoint point, int passage) {
        return none().at(point, passage, halt());
    }

    /**
     * Ends this process at once with the exit code {@link #HALTED}, as a kill would.
     *
     * @return the action
     */
    public static Runnable halt() {
        return () -> Runtime.getRuntime().halt(HALTED);
    }

    /**
     * Adds an action at one passage of a point.
     *
     * @param point where
     * @param passage at which passage, from 1, counted since the plan was made
     * @param action runs on the passing thread; what it throws comes out of the port's call
     * @return this
     */
    public CrashPlan at(CrashPoint point, int passage, Runnable action) {
        return add(new Step(point, passage, passage, action));
    }

    /**
     * Adds an action at every passage of a point.
     *
     * @param point where
     * @param action runs on the passing thread; what it throws comes out of the port's call
     * @return this
     */
    public CrashPlan always(CrashPoint point, Runnable action) {
        return add(new Step(point, 1, Integer.MAX_VALUE, action));
    }

    private synchronized CrashPlan add(Step step) {
        steps.add(step);
        unreached.add(step);
        return this;
    }

    /** Removes all actions; the passages stay counted. */
    public synchronized void calm() {
        steps.clear();
    }

    /**
     * How often a point was passed.
     *
     * @param point the point
     * @return the number of passages so far
     */
    public synchronized int passages(CrashPoint point) {
        return passages.getOrDefault(point, 0);
    }

    /**
     * Passes a point: counts it and runs what is planned there.
     *
     * @param point the point
     */
    public void pass(CrashPoint point) {
        for (Runnable action : count(point)) {
            action.run();
        }
    }

    private synchronized List<Runnable> count(CrashPoint point) {
        int passage = passages.merge(point, 1, Integer::sum);
        List<Step> reached =
                steps.stream().filter(step -> step.isAt(point, passage)).toList();
        reached.forEach(unreached::remove);
        return reached.stream().map(Step::action).toList();
    }

    /**
     * Fails where something was planned at a passage that nobody came to: the test has not seen what it was written for. Actions that
     * {@link #calm} removed count as well.
     *
     * @throws AssertionError with the places that were not reached, and all that were passed, with how often
     */
    public synchronized void assertReached() {
        if (!unreached.isEmpty()) {
            throw new AssertionError("planned and not reached: "
                    + unreached.stream().map(Step::toString).collect(Collectors.joining(", "))
                    + "; passed were " + passages);
        }
    }

    /**
     * Puts the points around a handler.
     *
     * @param handler the handler
     * @param <T> the type of its payload
     * @param <C> the type of its context
     * @return a handler that does the same and passes the points
     */
    public <T, C extends HandlerContext> Handler<T, C> handler(Handler<T, C> handler) {
        return (payload, context) -> {
            pass(CrashPoint.BEFORE_HANDLER);
            handler.handle(payload, context);
            pass(CrashPoint.AFTER_HANDLER);
        };
    }

    /**
     * Acknowledges between the points.
     *
     * @param acknowledgement acknowledges to the broker
     */
    public void acknowledge(Runnable acknowledgement) {
        pass(CrashPoint.BEFORE_ACKNOWLEDGE);
        acknowledgement.run();
        pass(CrashPoint.AFTER_ACKNOWLEDGE);
    }
}
