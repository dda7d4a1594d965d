package io.pigeonhole.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs crashing processes, each for a group of crashes, and then the recovery of each crash by itself. */
final class CrashGroups {
    /** Most of the time they wait for leases to run out. */
    private static final ExecutorService RECOVERIES = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "recovery");
        thread.setDaemon(true);
        return thread;
    });

    private CrashGroups() {}

    /** Runs one process until it halts at the crash points of a group. */
    interface Crash<D, C> {
        C run(List<D> group) throws Exception;
    }

    /** What a process that is started after the crash does. */
    interface Recovery<D, C, R> {
        R recover(D death, C left) throws Exception;
    }

    /** Cuts a list into pieces. */
    static <D> List<List<D>> ofSize(int size, List<D> deaths) {
        List<List<D>> groups = new ArrayList<>();
        for (int i = 0; i < deaths.size(); i += size) {
            groups.add(deaths.subList(i, Math.min(i + size, deaths.size())));
        }
        return groups;
    }

    /**
     * Each recovery begins as soon as the process of its crash has ended, as that of a process that is started again at once:
     * the leases of the dead process are still there.
     */
    static <D, C, R> void submit(
            List<List<D>> groups,
            ExecutorService executor,
            Crash<D, C> crash,
            Recovery<D, C, R> recovery,
            Map<D, Future<R>> results) {
        for (List<D> group : groups) {
            CompletableFuture<C> ended = CompletableFuture.supplyAsync(() -> call(() -> crash.run(group)), executor);
            for (D death : group) {
                // On threads of their own, which do not wait for the crashing processes.
                results.put(death, ended.thenApplyAsync(left -> call(() -> recovery.recover(death, left)), RECOVERIES));
            }
        }
    }

    private static <R> R call(Callable<R> task) {
        try {
            return task.call();
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }
}
