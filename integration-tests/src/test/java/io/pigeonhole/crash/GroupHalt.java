package io.pigeonhole.crash;

import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Halts this process when each of several runs has come to its crash point. A run that is there stays there: the thread that
 * came to the point goes no further, and its other threads, such as those that prolong leases, stop at the next point that they
 * come to. So its transactions and its connections are as they were, until the last run arrives and the process is halted, and
 * one process serves for many deaths. The runs must not wait for each other.
 */
final class GroupHalt {
    /** What each run needs on the command line: story, name of the run, crash point, passage. */
    private static final int ARGUMENTS = 4;

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger missing = new AtomicInteger();

    /** A run of a story with a plan that stops it. */
    interface Run {
        void run(String story, String run, CrashPlan plan);
    }

    private GroupHalt() {}

    /** What a run needs on the command line, in the order in which {@link #runAll} reads it. */
    static List<String> arguments(Enum<?> story, String run, CrashPoint point, int passage) {
        return List.of(story.name(), run, point.name(), Integer.toString(passage));
    }

    /**
     * Starts a thread for each run that the arguments name; never returns normally.
     *
     * @param arguments four for each run, from an index on
     */
    static void runAll(String[] arguments, int from, Run run) {
        GroupHalt group = new GroupHalt();
        for (int i = from; i < arguments.length; i += ARGUMENTS) {
            group.add(arguments[i], arguments[i + 1], arguments[i + 2], Integer.parseInt(arguments[i + 3]), run);
        }
        group.threads.forEach(Thread::start);
    }

    private void add(String story, String name, String point, int passage, Run run) {
        missing.incrementAndGet();
        AtomicBoolean arrived = new AtomicBoolean();
        CrashPlan plan = CrashPlan.none();
        for (CrashPoint each : CrashPoint.values()) {
            plan.always(each, () -> parkIf(arrived));
        }
        plan.at(CrashPoint.valueOf(point), passage, () -> arrive(name, arrived));
        threads.add(new Thread(() -> execute(story, name, plan, run), name));
    }

    private static void execute(String story, String name, CrashPlan plan, Run run) {
        try {
            run.run(story, name, plan);
            System.out.println(name + " came to its end without its crash point");
        } catch (RuntimeException | Error e) {
            System.out.println(name + " failed before its crash point");
            e.printStackTrace(System.out);
        }
        System.out.flush();
        Runtime.getRuntime().halt(1);
    }

    private void arrive(String name, AtomicBoolean arrived) {
        arrived.set(true);
        System.out.println(name + " is at its crash point");
        System.out.flush();
        if (missing.decrementAndGet() == 0) {
            CrashPlan.halt().run();
        }
        parkIf(arrived);
    }

    private static void parkIf(AtomicBoolean arrived) {
        while (arrived.get()) {
            LockSupport.park(arrived);
        }
    }
}
