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

/** Lets processes die, each of a group of deaths, and then goes on for each death by itself. */
final class CrashGroups {
    /** Most of the time they wait for leases to run out. */
    private static final ExecutorService GOING_ON = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "going-on");
        thread.setDaemon(true);
        return thread;
    });

    private CrashGroups() {}

    /** Ends a process. */
    interface Dying<D, C> {
        C die(List<D> group) throws Exception;
    }

    /** What is done for one death after its process has ended. */
    interface GoingOn<D, C, R> {
        R goOn(D death, C left) throws Exception;
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
     * Each death is gone on from as soon as its process has ended, as a process that is started again at once would: then its
     * leases are still there.
     */
    static <D, C, R> void submit(
            List<List<D>> groups,
            ExecutorService executor,
            Dying<D, C> dying,
            GoingOn<D, C, R> goingOn,
            Map<D, Future<R>> results) {
        for (List<D> group : groups) {
            CompletableFuture<C> ended = CompletableFuture.supplyAsync(() -> call(() -> dying.die(group)), executor);
            for (D death : group) {
                // On threads of their own, which do not wait for those who die.
                results.put(death, ended.thenApplyAsync(left -> call(() -> goingOn.goOn(death, left)), GOING_ON));
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
