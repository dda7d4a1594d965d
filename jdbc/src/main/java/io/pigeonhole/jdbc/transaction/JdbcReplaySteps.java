package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.store.ReplayPage;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.ReplaySteps;
import io.pigeonhole.core.store.SkippedMessage;
import io.pigeonhole.jdbc.replay.ReplayRows;
import io.pigeonhole.jdbc.sql.ReplayCalls;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a transaction does for a run over the history. */
record JdbcReplaySteps(JdbcTransaction transaction, ReplayCalls calls) implements ReplaySteps {
    @Override
    public Optional<ReplayProgress> lock(String name) {
        return transaction.read("to hold the replay " + name, () -> ReplayRows.lock(calls, name));
    }

    @Override
    public ReplayPage read(ReplayProgress run, int limit) {
        return transaction.read("to read the history", () -> ReplayRows.read(calls, run, limit));
    }

    @Override
    public void move(
            ReplayProgress run, long position, int done, int skipped, ReplayState state, @Nullable String error) {
        boolean moved = transaction.read(
                "to move a replay", () -> ReplayRows.move(calls, run, position, done, skipped, state, error));
        if (!moved) {
            throw new StoreException(
                    ErrorClass.RETRY_NOW,
                    "the replay '" + run.plan().name() + "' is not at " + run.position() + " any more",
                    null);
        }
    }

    @Override
    public void skip(ReplayProgress run, SkippedMessage message) {
        transaction.run("to record a message that is passed", () -> ReplayRows.skip(calls, run, message));
    }
}
