package io.pigeonhole.jdbc;

import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.failure.RetryableException;
import java.io.IOException;
import java.time.LocalDate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which days of the history may go: no run over the history needs them any more, and the archive, where there is one, has all
 * of them. Safe for use by many threads.
 */
final class OldHistory {
    private static final Logger log = LoggerFactory.getLogger(OldHistory.class);

    private final JdbcReplays days;
    private final @Nullable HistoryArchive archive;

    OldHistory(JdbcReplays days, @Nullable HistoryArchive archive) {
        this.days = days;
        this.archive = archive;
    }

    /** Whether a day that is past its time may go, as it looks now. Exports it, where that is needed. */
    boolean mayGo(LocalDate day) {
        if (days.isNeeded(day)) {
            log.info("the history of {} stays, since a replay is not through with it", day);
            return false;
        }
        return archive == null || isArchived(archive, day);
    }

    /**
     * Takes the step that lets a day go, while no replay can be made; answers {@code otherwise} where one was made since it
     * was asked whether the day may go, or another node is at it.
     */
    <T> T letGo(LocalDate day, T otherwise, Function<String, T> step) {
        return days.unlessNeeded(day, otherwise, step);
    }

    private boolean isArchived(HistoryArchive archive, LocalDate day) {
        try {
            long entries = HistoryExport.of(days, archive).export(day);
            log.debug("the history of {} is in the archive ({} messages were exported now)", day, entries);
            return true;
        } catch (IOException | RetryableException e) {
            log.warn("the history of {} stays, since it is not in the archive yet; it is tried again", day, e);
            return false;
        }
    }
}
