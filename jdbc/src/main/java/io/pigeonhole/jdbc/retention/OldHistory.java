package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.DayLockedException;
import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.jdbc.replay.JdbcReplays;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Which days of the history may go: no run over the history needs them any more, and the archive, where there is one, has all
 * of them. Safe for use by many threads.
 */
public final class OldHistory {
    private static final Logger log = LoggerFactory.getLogger(OldHistory.class);

    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(10);
    private static final Duration AT_ANOTHER_FOR = Duration.ofMinutes(1);
    private static final Duration SEEN_FOR = Duration.ofMinutes(10);

    private final JdbcReplays days;
    private final @Nullable HistoryArchive archive;

    /** Days for which older transactions were waited in vain: the next look does not wait. */
    private final Set<LocalDate> unsettled = ConcurrentHashMap.newKeySet();

    private final Map<LocalDate, Long> warned = new ConcurrentHashMap<>();
    private final Map<LocalDate, Long> saidOfOthers = new ConcurrentHashMap<>();

    /** Days that another node was exporting, and when. */
    private final Map<LocalDate, Long> atOthers = new ConcurrentHashMap<>();

    /** The day that goes in pieces now, where the archive has it. */
    private final AtomicReference<@Nullable Seen> seen = new AtomicReference<>();

    private final LongSupplier nanos;
    private final ExportPauses pauses;

    /**
     * The history of a store.
     *
     * @param archive where days go, null for nowhere
     * @param nanos the time
     */
    public OldHistory(JdbcReplays days, @Nullable HistoryArchive archive, LongSupplier nanos) {
        this.days = days;
        this.archive = archive;
        this.nanos = nanos;
        this.pauses = new ExportPauses(nanos);
    }

    /** A day that the archive had, and when. */
    private record Seen(LocalDate day, long nanos) {}

    /** Whether a day that is past its time may go, as it looks now. Exports it, where that is needed. */
    boolean mayGo(LocalDate day) {
        return !isNeeded(day) && (archive == null || isArchived(archive, day));
    }

    /**
     * The same for a day that goes in many pieces, before each of them. The archive reads all that it has of the day to answer: it
     * is asked before the first piece, and once in ten minutes.
     */
    public boolean mayGoInPieces(LocalDate day) {
        Seen last = seen.get();
        if (last != null && last.day().equals(day) && nanos.getAsLong() - last.nanos() < SEEN_FOR.toNanos()) {
            return !isNeeded(day);
        }
        boolean mayGo = mayGo(day);
        seen.set(mayGo ? new Seen(day, nanos.getAsLong()) : null);
        return mayGo;
    }

    /** Whether a replay is not through with a day. */
    public boolean isNeeded(LocalDate day) {
        if (days.isNeeded(day)) {
            log.info("the history of {} stays, since a replay is not through with it", day);
            return true;
        }
        return false;
    }

    /**
     * Takes the step that lets a day go, while no replay can be made; answers {@code otherwise} where one was made since it
     * was asked whether the day may go, or another node is at it.
     */
    public <T> T letGo(LocalDate day, T otherwise, Function<String, T> step) {
        return days.unlessNeeded(day, otherwise, step);
    }

    /**
     * Whether the archive, where there is one, has a day already, with all messages that are to go now. Exports nothing.
     *
     * @param going counts how many messages go with the day
     */
    public boolean isInArchive(LocalDate day, LongSupplier going) {
        if (archive == null) {
            return true;
        }
        try {
            OptionalLong entries = days.exportedEntries(day);
            ArchivedStore store =
                    new ArchivedStore(days.storeId(), days.lastExported().orElse(null));
            return entries.isPresent()
                    && going.getAsLong() <= entries.getAsLong()
                    && archive.contains(store, day, entries.getAsLong());
        } catch (IOException | RuntimeException | LinkageError e) {
            stays(day, e);
            return false;
        }
    }

    /**
     * The same for a day of which {@link #mayGo} has just said so: the archive, which reads all of the day to answer, is not asked
     * once more.
     */
    public boolean isExported(LocalDate day, LongSupplier going) {
        if (archive == null) {
            return true;
        }
        OptionalLong entries = days.exportedEntries(day);
        return entries.isPresent() && going.getAsLong() <= entries.getAsLong();
    }

    /** The same for all messages that the history has of the day. */
    public boolean isExported(LocalDate day) {
        return isExported(day, () -> days.count(day));
    }

    /**
     * Whether all have ended who were recording something when it was called, so that a look at the history sees it; asked where the
     * archive has to have it. It may take a second, in which others who record messages wait.
     */
    public boolean isRecorded() {
        return archive == null || days.haveWritersEnded();
    }

    /** Whatever an archive throws keeps this day from going, and nothing else; nor does the time that it takes. */
    private boolean isArchived(HistoryArchive archive, LocalDate day) {
        if (pauses.rests(day) || isAtAnother(day) || (unsettled.contains(day) && !days.isSettled(day))) {
            log.debug("the history of {} stays for now, and its export is not tried again yet", day);
            return false;
        }
        long begun = nanos.getAsLong();
        try {
            long entries = HistoryExport.of(days, archive).export(day);
            log.debug("the history of {} is in the archive ({} messages were exported now)", day, entries);
            unsettled.remove(day);
            warned.remove(day);
            pauses.end(day);
            return true;
        } catch (RetryableException e) {
            unsettled.add(day);
            stays(day, e);
        } catch (StoreException e) {
            // Of the database, which may only have been in the way for a moment.
            if (!FailedSteps.isPassing(e)) {
                pauses.begin(day, nanos.getAsLong() - begun);
            }
            stays(day, e);
        } catch (DayLockedException e) {
            atOthers.put(day, nanos.getAsLong());
            log.atLevel(isNews(saidOfOthers, day) ? Level.INFO : Level.DEBUG)
                    .log("the history of {} stays until another node has exported it: {}", day, e.getMessage());
        } catch (IOException | RuntimeException | LinkageError e) {
            pauses.begin(day, nanos.getAsLong() - begun);
            stays(day, e);
        }
        return false;
    }

    /** For a moment: to ask costs a lock on the history. */
    private boolean isAtAnother(LocalDate day) {
        Long at = atOthers.get(day);
        return at != null && nanos.getAsLong() - at < AT_ANOTHER_FOR.toNanos();
    }

    /** Once in a while for each day: it is asked at each piece of what is deleted. */
    private boolean isNews(Map<LocalDate, Long> said, LocalDate day) {
        long now = nanos.getAsLong();
        Long before = said.get(day);
        boolean isNews = before == null || now - before > BETWEEN_WARNINGS.toNanos();
        if (isNews) {
            said.put(day, now);
        }
        return isNews;
    }

    private void stays(LocalDate day, Throwable why) {
        log.atLevel(isNews(warned, day) ? Level.WARN : Level.DEBUG)
                .setCause(FailureText.readable(why))
                .log("the history of {} stays, since it is not in the archive; it is tried again", day);
    }
}
