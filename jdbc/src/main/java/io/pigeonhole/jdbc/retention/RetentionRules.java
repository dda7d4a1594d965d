package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.store.RetentionClock;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.jdbc.admin.AdminDatabase;
import io.pigeonhole.jdbc.sql.AdminSession;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what a store may delete now: what is older than the longest time that any program of the schema wants it remembered,
 * by a clock that does not jump. Safe for use by many threads and many programs.
 */
public final class RetentionRules {
    private static final Logger log = LoggerFactory.getLogger(RetentionRules.class);

    /** Programs that say for the first time what they want may be in each other's way. */
    private static final int MOST_TRIES = 3;

    private final AdminDatabase database;
    private final RetentionSettings own;
    private final LongSupplier nanos;
    private final RetentionClockRow clock;
    private final VainWaits waits;
    private final AtomicReference<Duration> warnedOf = new AtomicReference<>();
    private final AtomicBoolean warnedOfArchive = new AtomicBoolean();

    /**
     * The rules of a schema.
     *
     * @param own what this program wants
     * @param nanos the time
     */
    public RetentionRules(AdminDatabase database, RetentionSettings own, LongSupplier nanos) {
        this.database = database;
        this.own = own;
        this.nanos = nanos;
        this.clock = new RetentionClockRow(nanos);
        this.waits = new VainWaits(nanos);
    }

    /** Looks, and again where the steps that follow take long. */
    FreshLook begin() {
        return new FreshLook(this::look, nanos);
    }

    /** Says what this program wants, and answers how old things have to be to be deleted; null for nothing. */
    @Nullable
    public RetentionLook look() {
        try {
            return lookWithRetries();
        } catch (Throwable e) {
            missed();
            throw e;
        }
    }

    /** Whoever wanted to look could not: the time until now may have been an outage, and does not count as time that passed. */
    public void missed() {
        clock.missed();
    }

    private @Nullable RetentionLook lookWithRetries() {
        int tries = 1;
        while (true) {
            try {
                return lookAtClock(confirm());
            } catch (StoreUnavailableException e) {
                throw e;
            } catch (PigeonholeException e) {
                if (tries >= MOST_TRIES) {
                    throw e;
                }
                tries++;
            }
        }
    }

    /**
     * Writes down what this program wants; answers the longest of all programs. What cannot be written, because somebody holds
     * the row, does not keep it from deleting.
     */
    private RetentionLimits confirm() {
        RequiredRetentions.Required required = database.look(
                "for how long programs want what to be remembered",
                session -> RequiredRetentions.read(session, RetentionClockRow.read(session), own.limits()));
        RetentionLimits longest = required.longest();
        for (RequiredRetentions.Change change : required.changes()) {
            Optional<Integer> changed =
                    database.change("to write down for how long this program wants what to be remembered", change::run);
            if (changed.isEmpty()) {
                waits.warn("inbox_retention", "how long this program wants something remembered is not written down");
            }
            longest = change.after(longest, changed.orElse(0));
        }
        if (longest.window().compareTo(own.window()) > 0
                && !longest.window().equals(warnedOf.getAndSet(longest.window()))) {
            log.warn(
                    "this program's window is {}, but another program of this schema has {}: keys are remembered for {}."
                            + " Set the same window in all programs; the longer one ends when no program has confirmed it"
                            + " for that long, two days at least",
                    DurationText.of(own.window()),
                    DurationText.of(longest.window()),
                    DurationText.of(longest.window()));
        }
        if (own.archive() == null && longest.hasArchive() && !warnedOfArchive.getAndSet(true)) {
            log.warn(
                    "this program has no archive, but another program of this schema has one: this one deletes no history. Give"
                            + " all programs the same archive; this ends when no program with one has confirmed it for {}, two days at least",
                    DurationText.of(longest.archive()));
        }
        return longest;
    }

    private @Nullable RetentionLook lookAtClock(RetentionLimits longest) {
        Optional<Optional<RetentionLook>> look =
                database.change("to find out what may be deleted", session -> lookAtClock(session, longest));
        if (look.isEmpty()) {
            waits.warn("inbox_clock", "nothing is deleted");
        }
        return look.flatMap(found -> found).orElse(null);
    }

    private Optional<RetentionLook> lookAtClock(AdminSession session, RetentionLimits longest) throws SQLException {
        RetentionClock before = RetentionClockRow.read(session);
        Instant now = session.now();
        return Optional.ofNullable(clock.look(session, before, now, longest.window()))
                .map(behind -> new RetentionLook(now, longest.plus(behind)));
    }

    public Answer confirmClock(Author by) {
        return RetentionClockRow.confirm(database, by);
    }
}
