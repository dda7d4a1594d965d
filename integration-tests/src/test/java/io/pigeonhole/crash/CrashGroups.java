package io.pigeonhole.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** Lets processes die, each of a group of deaths, and then goes on for each death by itself. */
final class CrashGroups {
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

    /** All that die are submitted first, so that nobody who waits for them takes their thread. */
    static <D, C, R> void submit(
            List<List<D>> groups,
            ExecutorService executor,
            Dying<D, C> dying,
            GoingOn<D, C, R> goingOn,
            Map<D, Future<R>> results) {
        List<Future<C>> left = groups.stream()
                .map(group -> executor.submit((Callable<C>) () -> dying.die(group)))
                .toList();
        for (int i = 0; i < groups.size(); i++) {
            Future<C> ofGroup = left.get(i);
            for (D death : groups.get(i)) {
                results.put(death, executor.submit(() -> goingOn.goOn(death, ofGroup.get())));
            }
        }
    }
}
