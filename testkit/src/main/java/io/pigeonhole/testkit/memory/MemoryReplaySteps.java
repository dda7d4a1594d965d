package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.core.store.ReplayPage;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.ReplaySteps;
import io.pigeonhole.core.store.SkippedMessage;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a transaction does for a run. */
record MemoryReplaySteps(Changes changes) implements ReplaySteps {
    static final long ROOM = 16L << 20;

    @Override
    public Optional<ReplayProgress> lock(String name) {
        return changes.inTurn(() -> {
            ReplayProgress run = changes.tables.replays.get(name);
            return run != null && changes.tryHold(new Lock.OfReplay(name)) ? Optional.of(run) : Optional.empty();
        });
    }

    @Override
    public ReplayPage read(ReplayProgress run, int limit) {
        return changes.inTurn(() -> {
            List<HistoryEntry> wanted = MemoryReplays.left(changes.tables, run)
                    .filter(each -> each.message().withPayload())
                    .limit(limit)
                    .map(Finished::entry)
                    .toList();
            List<HistoryEntry> entries = Candidates.within(ROOM, wanted, HistoryEntry::message);
            boolean last = entries.size() < limit && entries.size() == wanted.size();
            return new ReplayPage(
                    entries,
                    last ? run.cutoff() : entries.get(entries.size() - 1).place(),
                    last);
        });
    }

    @Override
    public void move(
            ReplayProgress run, long position, int done, int skipped, ReplayState state, @Nullable String error) {
        changes.inTurn(() -> {
            Promise.check(position >= run.position(), "progress never goes back");
            if (!changes.holds(new Lock.OfReplay(run.plan().name()))) {
                throw new StoreException(
                        ErrorClass.RETRY_NOW, "the replay '" + run.plan().name() + "' is not held", null);
            }
            changes.move(new ReplayProgress(
                    run.consumer(),
                    run.plan(),
                    state,
                    run.cutoff(),
                    position,
                    run.total(),
                    run.withoutPayload(),
                    run.done() + done,
                    run.skipped() + skipped,
                    error,
                    run.who(),
                    run.reason(),
                    run.createdAt(),
                    changes.now()));
            return state;
        });
    }

    @Override
    public void skip(ReplayProgress run, SkippedMessage message) {
        changes.inTurn(() -> {
            changes.skip(new MemoryReplays.SkippedRow(run.plan().name(), message));
            return message;
        });
    }
}
