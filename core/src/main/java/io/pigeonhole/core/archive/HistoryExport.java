package io.pigeonhole.core.archive;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Streams days of the history to an archive, a page at a time, so that it needs no more memory for more messages. A day is
 * noted in the store as exported once all of it is durable in the archive. An export that was killed is gone on with by the
 * next call, behind what is whole. Safe for use by many threads, each at another day.
 */
public final class HistoryExport {
    private static final int PAGE = 500;
    private static final long PATIENCE_NANOS = Duration.ofSeconds(3).toNanos();
    private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();

    private final HistoryDays days;
    private final HistoryArchive archive;

    private HistoryExport(HistoryDays days, HistoryArchive archive) {
        this.days = days;
        this.archive = archive;
    }

    /**
     * An export of a store's history.
     *
     * @param store the store
     * @param archive where the days go
     * @return the export
     */
    public static HistoryExport of(InboxStore<?> store, HistoryArchive archive) {
        return of(store.historyDays(), archive);
    }

    /**
     * The same for those who have the role only.
     *
     * @param days the history by days
     * @param archive where they go
     * @return the export
     */
    public static HistoryExport of(HistoryDays days, HistoryArchive archive) {
        return new HistoryExport(days, archive);
    }

    /**
     * Exports a day of all consumers.
     *
     * @param day a day in UTC that is over by the store's clock
     * @return how many messages the archive has of it; -1 where it was noted as exported before, and nothing was done
     * @throws IOException if the archive cannot be written; call again
     * @throws IllegalArgumentException if the day is not over
     * @throws RetryableException if a transaction that may still record something on that day is open for more than three
     *     seconds; call again
     * @throws PigeonholeException if the database refused
     */
    public long export(LocalDate day) throws IOException {
        if (days.isExported(day)) {
            return -1;
        }
        LocalDate today = days.today();
        if (!day.isBefore(today)) {
            throw new IllegalArgumentException(
                    day + " is not over; it is " + today + " in UTC by the clock of the database");
        }
        if (!othersEnd(days.mark())) {
            throw new RetryableException(
                    "a transaction is open that may still record messages on " + day + "; export it later", null);
        }
        try (ArchivedDay archived = archive.open(day)) {
            if (!archived.isComplete()) {
                write(archived, day);
                archived.complete();
            }
            days.exported(day, archived.entries());
            return archived.entries();
        }
    }

    /** Somebody is always in a transaction under load, but nobody for long. */
    private boolean othersEnd(long mark) {
        long begun = System.nanoTime();
        boolean past = days.isPast(mark);
        while (!past
                && System.nanoTime() - begun < PATIENCE_NANOS
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(LOOK_NANOS);
            past = days.isPast(mark);
        }
        return past;
    }

    private void write(ArchivedDay archived, LocalDate day) throws IOException {
        ArchivedDay.Place last = archived.last();
        List<RegisteredConsumer> consumers = days.consumers();
        int first = last == null ? 0 : indexOf(consumers, last, day);
        for (int i = first; i < consumers.size(); i++) {
            write(archived, consumers.get(i), day, last != null && i == first ? last.place() : 0);
        }
    }

    private static int indexOf(List<RegisteredConsumer> consumers, ArchivedDay.Place last, LocalDate day) {
        for (int i = 0; i < consumers.size(); i++) {
            if (consumers.get(i).name().equals(last.consumer())) {
                return i;
            }
        }
        throw new PigeonholeException(
                "the archive of " + day + " ends with the consumer '" + last.consumer()
                        + "', which this store does not have: it is the archive of another store",
                null);
    }

    private void write(ArchivedDay archived, RegisteredConsumer consumer, LocalDate day, long begin)
            throws IOException {
        long after = begin;
        List<HistoryEntry> page;
        do {
            page = days.read(consumer, day, after, PAGE);
            for (HistoryEntry entry : page) {
                archived.append(consumer.name(), entry);
                after = entry.place();
            }
        } while (!page.isEmpty());
    }
}
