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
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams days of the history to an archive, a page at a time, so that it needs no more memory for more messages. A day is
 * noted in the store as exported once all of it is durable in the archive, and the archive has as many messages of it as the
 * history; those that an earlier call wrote are compared with the history. An export that was killed is gone on with by the
 * next call, behind what is whole. Safe for use by many threads, each at another day.
 */
public final class HistoryExport {
    private static final Logger log = LoggerFactory.getLogger(HistoryExport.class);

    private static final String MOVE_AWAY =
            ". Where somebody restored the database or changed the history, move away what the"
                    + " archive has of this day, and it is exported anew";

    private static final int PAGE = 500;
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final long NANOS_BELOW_A_SECOND = 999_999_999;
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
     * Exports a day of all consumers. Where the day was noted as exported before, it looks whether the archive still has it,
     * and exports it once more where not, as long as the history has all of it.
     *
     * <p>A process that dies meanwhile leaves the day unfinished in the archive, or complete and not yet noted; call again.
     *
     * @param day a day in UTC that is over by the store's clock
     * @return how many messages the archive has of it; -1 where it was noted as exported before, is in the archive, and
     *     nothing was done
     * @throws DayLockedException if another thread or process exports this day
     * @throws IOException if the archive cannot be written or is not the one of this store, or it has this day with other
     *     messages than the history; the day is not noted as exported then, and the message says what to do
     * @throws IllegalArgumentException if the day is not over
     * @throws RetryableException if the day has just ended and messages may still be recorded on it that no transaction shows
     *     ({@link HistoryDays#untilRecorded}): call again after the seconds that the message says. Or if a transaction that may still
     *     record something on that day is open for more than three seconds; call again. The next call waits for transactions that
     *     were open at the first one only
     * @throws PigeonholeException if the database refused
     */
    public long export(LocalDate day) throws IOException {
        ArchivedStore store =
                new ArchivedStore(days.storeId(), days.lastExported().orElse(null));
        if (isExported(store, day)) {
            return -1;
        }
        LocalDate today = days.today();
        if (!day.isBefore(today)) {
            throw new IllegalArgumentException(
                    day + " is not over; it is " + today + " in UTC by the clock of the database");
        }
        requireSettled(day);
        try (ArchivedDay archived = archive.open(store, day)) {
            write(archived, day);
            days.exported(day, archived.entries());
            return archived.entries();
        }
    }

    /** Whether it was exported and the archive has it. Throws where neither the archive nor the history has all of it. */
    private boolean isExported(ArchivedStore store, LocalDate day) throws IOException {
        OptionalLong noted = days.exportedEntries(day);
        if (noted.isEmpty()) {
            return false;
        }
        long entries = noted.getAsLong();
        long count = days.count(day);
        // It may have fewer: where the history has no days to drop, it goes row by row.
        if (count <= entries && archive.contains(store, day, entries)) {
            return true;
        }
        if (count < entries) {
            throw new IOException(archive + " has lost " + day + ", which was exported with " + entries
                    + " messages, and the history has only " + count + " of them left. Put back what the archive had"
                    + " of this day; until then these stay");
        }
        log.warn(
                "{} was exported with {} messages, and the history has {}: it is exported once more where the archive"
                        + " does not have it",
                day,
                entries,
                count);
        return false;
    }

    /** Somebody is always in a transaction under load, but nobody for long. */
    private void requireSettled(LocalDate day) {
        Duration left = days.untilRecorded(day);
        if (!left.isZero()) {
            throw new RetryableException(
                    day + " has just ended, and messages that were finished on it may still be recorded; export it in "
                            + left.plusNanos(NANOS_BELOW_A_SECOND).toSeconds() + " s",
                    null);
        }
        long begun = System.nanoTime();
        while (!days.isSettled(day)) {
            if (System.nanoTime() - begun > TIMEOUT.toNanos()
                    || Thread.currentThread().isInterrupted()) {
                throw new RetryableException(
                        "a transaction is open that may still record messages on " + day + "; export it later."
                                + " The next try waits for those only that were open at the first one",
                        null);
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private void write(ArchivedDay archived, LocalDate day) throws IOException {
        long count = days.count(day);
        boolean wasComplete = archived.isComplete();
        if (!wasComplete) {
            requireAllConsumers(day);
            goOn(archived, day);
            if (archived.entries() == count) {
                archived.complete();
            }
        }
        if (archived.entries() != count) {
            throw new IOException(archive + " has " + archived.entries() + " messages of " + day
                    + ", and the history has " + count + advice(day));
        }
        if (wasComplete) {
            requireSame(archived, day);
        }
    }

    /** Before anything is written: a file that cannot become complete would be written anew at each attempt. */
    private void requireAllConsumers(LocalDate day) throws IOException {
        List<Integer> deleted = days.deletedConsumers(day);
        if (!deleted.isEmpty()) {
            throw new IOException(archive + " cannot have all messages of " + day + advice(deleted));
        }
    }

    private String advice(LocalDate day) {
        List<Integer> deleted = days.deletedConsumers(day);
        return deleted.isEmpty() ? MOVE_AWAY : advice(deleted);
    }

    private static String advice(List<Integer> deleted) {
        return ". Some are of the consumers " + deleted
                + ", which somebody deleted: register them again under these numbers, or delete their messages from the"
                + " history";
    }

    /** It was not noted: its process died right before that, or the database is an earlier one, whose day went on otherwise. */
    private void requireSame(ArchivedDay archived, LocalDate day) throws IOException {
        for (RegisteredConsumer consumer : days.consumers()) {
            forEach(consumer, day, 0, Long.MAX_VALUE, entry -> {
                if (!archived.hasNext(consumer.name(), entry)) {
                    throw new IOException(archive + " has another message of " + day
                            + " than the history, where consumer " + consumer.name() + " has at place "
                            + entry.place() + " the key " + entry.key() + MOVE_AWAY);
                }
                return true;
            });
        }
    }

    /** Behind what an earlier export wrote, unless that is not what the history has. */
    private void goOn(ArchivedDay archived, LocalDate day) throws IOException {
        List<RegisteredConsumer> consumers = days.consumers();
        ArchivedDay.Place last = archived.last();
        int first = last == null ? 0 : indexOf(consumers, last, day);
        if (last != null && first >= 0 && !hasSame(archived, day, consumers.subList(0, first + 1), last)) {
            first = -1;
        }
        if (first < 0) {
            archived.restart();
        }
        long place = last == null || first < 0 ? 0 : last.place();
        append(archived, day, consumers, Math.max(0, first), place);
        if (place > 0 && archived.entries() != days.count(day)) {
            archived.restart();
            append(archived, day, consumers, 0, 0);
        }
    }

    /** The consumer of the last message in the archive; -1 where the history does not have that message. */
    private int indexOf(List<RegisteredConsumer> consumers, ArchivedDay.Place last, LocalDate day) {
        for (int i = 0; i < consumers.size(); i++) {
            RegisteredConsumer consumer = consumers.get(i);
            if (consumer.name().equals(last.consumer())) {
                return days.read(consumer, day, last.place() - 1, 1).stream()
                                .anyMatch(entry -> entry.place() == last.place()
                                        && entry.key().equals(last.key()))
                        ? i
                        : -1;
            }
        }
        return -1;
    }

    /** Whether what the archive has is what the history has up to the last message in it, which is of the last consumer. */
    private boolean hasSame(
            ArchivedDay archived, LocalDate day, List<RegisteredConsumer> consumers, ArchivedDay.Place last)
            throws IOException {
        for (RegisteredConsumer consumer : consumers) {
            long end = consumer.name().equals(last.consumer()) ? last.place() : Long.MAX_VALUE;
            if (!forEach(consumer, day, 0, end, entry -> archived.hasNext(consumer.name(), entry))) {
                return false;
            }
        }
        return true;
    }

    private void append(ArchivedDay archived, LocalDate day, List<RegisteredConsumer> consumers, int first, long place)
            throws IOException {
        long after = place;
        for (RegisteredConsumer consumer : consumers.subList(first, consumers.size())) {
            forEach(consumer, day, after, Long.MAX_VALUE, entry -> {
                archived.append(consumer.name(), entry);
                return true;
            });
            after = 0;
        }
    }

    /** What is done with a message; false ends it. */
    @FunctionalInterface
    private interface Visit {
        boolean take(HistoryEntry entry) throws IOException;
    }

    /** Those behind a place, up to another one. False where the visit ended it. */
    private boolean forEach(RegisteredConsumer consumer, LocalDate day, long begin, long end, Visit visit)
            throws IOException {
        long after = begin;
        List<HistoryEntry> page;
        do {
            page = days.read(consumer, day, after, PAGE);
            for (HistoryEntry entry : page) {
                if (entry.place() > end) {
                    return true;
                }
                if (!visit.take(entry)) {
                    return false;
                }
                after = entry.place();
            }
        } while (!page.isEmpty() && after < end);
        return true;
    }
}
