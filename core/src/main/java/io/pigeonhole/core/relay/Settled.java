package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.retry.RetryDecision;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What becomes of messages that were refused before and have been tried again. Used by one thread. */
final class Settled implements Writes {
    /** How long a message waits at most that cannot be published now, although others can. */
    static final Duration WAIT = Duration.ofSeconds(10);

    private final RegisteredConsumer consumer;
    private final RelaySettings settings;
    private final RelayCounts counts;
    private final Consumer<Duration> dueIn;
    /** Whether the broker takes others than those that are unavailable. */
    private final boolean unavailableByItself;

    private final List<WorkItem> finished = new ArrayList<>();
    private final List<PostponedItem> postponed = new ArrayList<>();
    private final List<DeadLetter> dead = new ArrayList<>();
    private int ignored;

    Settled(
            RegisteredConsumer consumer,
            RelaySettings settings,
            RelayCounts counts,
            Consumer<Duration> dueIn,
            boolean unavailableByItself) {
        this.unavailableByItself = unavailableByItself;
        this.consumer = consumer;
        this.settings = settings;
        this.counts = counts;
        this.dueIn = dueIn;
    }

    /** What was not tried, or could not be said, stays as it is. */
    void add(WorkItem item, @Nullable Publication outcome) {
        if (outcome instanceof Publication.Confirmed) {
            finished.add(item);
        } else if (outcome instanceof Publication.Refused refused) {
            refused(item, refused.cause());
        } else if (outcome instanceof Publication.Unavailable unavailable && unavailableByItself) {
            // No attempt: it waits, and others go on.
            FailedAttempt wait = Attempts.failed(item.attempts(), settings, unavailable.cause());
            postponed.add(new PostponedItem(item, waiting(), wait, false));
        }
    }

    /** Not the same for all: one of them may be why the others of its call were not taken, and they would come with it for ever. */
    private static Duration waiting() {
        long longest = WAIT.toNanos();
        return Duration.ofNanos(longest - ThreadLocalRandom.current().nextLong(longest / 2));
    }

    private void refused(WorkItem item, Throwable cause) {
        int attempts = item.attempts() + 1;
        FailedAttempt attempt = Attempts.failed(attempts, settings, cause);
        // How long it waited before anybody refused it was not its own fault: it is tried once more.
        Duration age = attempts == 1 ? Duration.ZERO : item.age();
        RetryDecision decision =
                Attempts.decide(settings, item.message(), attempts - item.retriedAttempts(), age, cause);
        if (decision instanceof RetryDecision.Retry retry) {
            postponed.add(new PostponedItem(item, retry.delay(), attempt));
        } else if (decision instanceof RetryDecision.GiveUp giveUp) {
            dead.add(new DeadLetter(
                    item.key(),
                    item.message(),
                    giveUp.reason(),
                    FailureText.describeWithCause(cause),
                    true,
                    attempt,
                    item));
        } else {
            finished.add(item);
            ignored++;
        }
    }

    @Override
    public int write(InboxTransaction<?> transaction) {
        transaction.finish(consumer, finished);
        transaction.postpone(consumer, postponed);
        transaction.deadLetter(consumer, dead);
        return finished.size() + postponed.size() + dead.size();
    }

    @Override
    public void committed() {
        postponed.forEach(item -> dueIn.accept(item.dueIn()));
        dead.forEach(letter -> DeadLetters.warn(consumer, letter));
        int waiting = (int) postponed.stream().filter(item -> !item.isNoted()).count();
        counts.add(finished.size() - ignored, postponed.size() - waiting, dead.size());
    }
}
