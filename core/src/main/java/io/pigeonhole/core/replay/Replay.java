package io.pigeonhole.core.replay;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.ReplayStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A named run over what a consumer has finished: the messages of its history go, in the order in which they were recorded,
 * to a handler, in batches of one transaction each. The run's progress moves in the handler's transaction, so that each
 * message has its effect exactly once in each named run, whatever dies. Only messages whose payload was kept can take part.
 *
 * <p>What belongs to a run is fixed when it is made: all that was committed in the history by then. It first waits for
 * transactions that were open at that moment and may still record something in between.
 *
 * <p>Safe for use by many threads. Any number of processes may run the same one: one at a time gets the next batch.
 *
 * @param <C> the context that the store hands to handlers
 */
public final class Replay<C extends HandlerContext> {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** To ask for older transactions may be in the way of others. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ReplayStore runs;
    private final ReplayPlan plan;
    private final Author by;
    private final ReplayRate rate;
    private final ReplayBatches<C> batches;
    private final ReplayStops stops = new ReplayStops();

    Replay(InboxStore<C> store, ReplaySettings settings, Handler<Message, C> handler) {
        this.runs = store.replays();
        this.plan = settings.plan();
        this.by = settings.by();
        this.rate = new ReplayRate(settings.perSecond());
        this.batches = new ReplayBatches<>(store, settings, handler);
    }

    /**
     * Begins a replay.
     *
     * @param name the name of the run. The same name is the same run: it goes on where it was; another name begins anew
     * @param consumer whose history
     * @param store where the history is, and where the handler writes
     * @param by who wants it, and why; kept with the run
     * @param <C> the context that the store hands to handlers
     * @return a builder with the standard settings
     */
    public static <C extends HandlerContext> ReplayBuilder<C> builder(
            String name, String consumer, InboxStore<C> store, Author by) {
        return new ReplayBuilder<>(name, consumer, store, by);
    }

    /**
     * Runs on the calling thread until nothing is left, or somebody paused, cancelled or stopped it, or a message failed. A
     * run that was begun before goes on where it was; one that is paused, failed or at its end stays so, until somebody
     * resumes it with {@link ReplayControl#resume}.
     *
     * <p>A process that dies meanwhile leaves whole batches; run it again.
     *
     * @return the run as it is then
     * @throws ConfigurationException if there is a run of this name with another plan, or no such consumer
     * @throws RetryableException if the database is away, others were in the way too often, or the thread was interrupted;
     *     what was committed stays, run it again. An interrupt never decides about a message: a handler that throws because
     *     of it has failed, and the run ends after the batch
     */
    public ReplayProgress run() {
        ReplayStop stop = stops.begin();
        try {
            return run(stop);
        } finally {
            stops.end(stop);
        }
    }

    private ReplayProgress run(ReplayStop stop) {
        ReplayProgress progress = start();
        rate.begin();
        long wait = PAUSE_NANOS;
        while (!stop.isAsked()) {
            requireNotInterrupted(progress);
            if (progress.state() == ReplayState.WAITING) {
                progress = runs.settle(plan.name());
                if (progress.state() == ReplayState.WAITING) {
                    pause(stop, System.nanoTime() + wait);
                    wait = Math.min(2 * wait, LONGEST_WAIT_NANOS);
                }
            } else if (rate.free() - System.nanoTime() > 0 && progress.state() == ReplayState.RUNNING) {
                progress = pace(stop, progress, rate.free());
            } else if (progress.state() == ReplayState.RUNNING) {
                Optional<ReplayStep> step = batches.next();
                if (step.isEmpty()) {
                    pause(stop, System.nanoTime() + PAUSE_NANOS);
                    progress = find();
                } else {
                    rate.spend(step.get().handled());
                    progress = step.get().progress();
                }
            } else {
                return progress;
            }
        }
        return find();
    }

    /**
     * Ends each {@link #run} of this object that is under way, after the batch that is under way, in this process only; the run
     * can go on at any time. Where none is under way, it ends the next one before its first batch: a program that ends may ask
     * for it while it is still beginning.
     */
    public void stop() {
        stops.ask();
    }

    private ReplayProgress start() {
        ReplayProgress found = runs.create(plan, by.who(), by.reason());
        List<String> differences = found.plan().differences(plan);
        if (!differences.isEmpty()) {
            throw new ConfigurationException("there is a replay '" + plan.name() + "' already, with "
                    + String.join("; ", differences) + ". Give this one another name");
        }
        return found;
    }

    private ReplayProgress find() {
        return runs.find(plan.name())
                .orElseThrow(() -> new ConfigurationException("the replay '" + plan.name() + "' is gone"));
    }

    /** Waits for the rate. Somebody may pause or cancel the run meanwhile. */
    private ReplayProgress pace(ReplayStop stop, ReplayProgress after, long until) {
        ReplayProgress progress = after;
        while (progress.state() == ReplayState.RUNNING && !stop.isAsked() && until - System.nanoTime() > LOOK_NANOS) {
            pause(stop, System.nanoTime() + LOOK_NANOS);
            progress = find();
        }
        if (progress.state() == ReplayState.RUNNING) {
            pause(stop, until);
        }
        return progress;
    }

    private void pause(ReplayStop stop, long until) {
        while (!stop.isAsked() && until - System.nanoTime() > 0) {
            LockSupport.parkNanos(this, Math.min(PAUSE_NANOS, until - System.nanoTime()));
            requireNotInterrupted();
        }
    }

    private void requireNotInterrupted(ReplayProgress progress) {
        if (progress.state() == ReplayState.WAITING || progress.state() == ReplayState.RUNNING) {
            requireNotInterrupted();
        }
    }

    private void requireNotInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new RetryableException(
                    "interrupted in the replay '" + plan.name() + "'; what was committed stays, run it again", null);
        }
    }
}
