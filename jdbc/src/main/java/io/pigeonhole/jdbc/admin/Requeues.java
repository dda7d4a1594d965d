package io.pigeonhole.jdbc.admin;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeuedPart;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.jdbc.sql.AdminRows;
import io.pigeonhole.jdbc.sql.AdminStatement;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageStatement;
import io.pigeonhole.jdbc.sql.Values;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts dead letters back to work. The work partitions of ordered ones are locked before, as those do who store messages: no delivery
 * of the same ordering key is being handled while its message comes back.
 */
public final class Requeues {
    private static final Logger log = LoggerFactory.getLogger(Requeues.class);

    private final AdminDatabase database;

    public Requeues(AdminDatabase database) {
        this.database = database;
    }

    /** A dead letter as it was found, not locked. */
    private record Candidate(long id, MessageKey key, int workPartition, boolean ordered, Cursor place) {
        static Candidate read(AdminRows rows, ResultSet row) throws SQLException {
            long id = row.getLong(1);
            return new Candidate(
                    id, rows.key(row, 2), row.getInt(3), row.getBoolean(4), new Cursor(rows.instant(row, 5), id));
        }
    }

    /** What became of the candidates that were still there. */
    private static final class Sorted {
        final List<Candidate> back = new ArrayList<>();
        final List<Candidate> duplicates = new ArrayList<>();
        int late;
        int future;
        int bare;
        int conflicts;

        int refused() {
            return late + future + bare;
        }

        boolean isEmpty() {
            return back.isEmpty() && duplicates.isEmpty() && refused() + conflicts == 0;
        }
    }

    /** A part of the work, and how it is to be done. */
    private record How(boolean evenIfLate, @Nullable Instant firstDue, Duration interval) {}

    public Answer one(String consumer, MessageKey key, boolean evenIfLate, Author by) {
        try {
            return move(consumer, key, evenIfLate, by);
        } catch (StoreException e) {
            if (!isOfAMessage(e)) {
                throw e;
            }
            return Answers.notTaken(e.getMessage());
        }
    }

    /** Moving copies messages: the database may refuse one for what is in it. A missing right is no message's fault. */
    private boolean isOfAMessage(StoreException e) {
        ErrorClass own = e.getCause() instanceof SQLException failure
                ? database.errors().classifyOwn(failure)
                : ErrorClass.UNKNOWN;
        return own == ErrorClass.MESSAGE || own == ErrorClass.PERMANENT;
    }

    private Answer move(String consumer, MessageKey key, boolean evenIfLate, Author by) {
        return AuditedChange.run(database, "to requeue a dead letter", consumer, by, change -> {
                    Sorted sorted = new Sorted();
                    for (int tries = 0; sorted.isEmpty(); tries++) {
                        Candidate letter = find(change, key);
                        if (letter == null) {
                            return Answers.notDead(key);
                        }
                        if (tries == AuditedChange.MOST_TRIES) {
                            return Answers.busy();
                        }
                        // Gone where another one of its key has come in its place before it was locked.
                        sorted = sort(change, List.of(letter), evenIfLate, false);
                    }
                    if (sorted.late > 0) {
                        return Answers.late();
                    }
                    if (sorted.future > 0) {
                        return Answers.fromTheFuture();
                    }
                    if (sorted.bare > 0) {
                        return Answers.withoutBytes();
                    }
                    move(change, sorted, new How(evenIfLate, null, Duration.ZERO));
                    if (!sorted.duplicates.isEmpty()) {
                        change.audit(AdminAction.REQUEUE, key, "accepted since: the letter is removed", 1);
                        return Answers.duplicate();
                    }
                    change.audit(AdminAction.REQUEUE, key, evenIfLate ? "even if late" : "", 1);
                    return Answer.done("back in work, due now");
                })
                .orElseGet(Answers::busy);
    }

    public Optional<RequeuedPart> part(
            Selection selection,
            @Nullable Cursor after,
            int limit,
            Requeue options,
            @Nullable Instant firstDue,
            Author by) {
        try {
            return move(selection, after, limit, options, firstDue, by);
        } catch (StoreException e) {
            if (limit > 1 || !isOfAMessage(e)) {
                throw e;
            }
            return refuse(selection, after, by, e);
        }
    }

    /** The first letter behind another stays where it is: the database does not take it as work. */
    private Optional<RequeuedPart> refuse(
            Selection selection, @Nullable Cursor after, Author by, StoreException refusal) {
        return AuditedChange.run(
                database, "to refuse a dead letter", selection.filter().consumer(), by, change -> {
                    List<Candidate> letters = find(change, selection, after, 1);
                    if (letters.isEmpty()) {
                        return RequeuedPart.NOTHING;
                    }
                    Candidate letter = letters.get(0);
                    log.warn(
                            "consumer '{}': the dead letter {} is not requeued",
                            change.consumer().name(),
                            letter.key(),
                            refusal);
                    return new RequeuedPart(1, 0, 0, 1, 0, letter.place(), null);
                });
    }

    private Optional<RequeuedPart> move(
            Selection selection,
            @Nullable Cursor after,
            int limit,
            Requeue options,
            @Nullable Instant firstDue,
            Author by) {
        return AuditedChange.run(
                database, "to requeue dead letters", selection.filter().consumer(), by, change -> {
                    List<Candidate> letters = find(change, selection, after, limit);
                    if (letters.isEmpty()) {
                        return RequeuedPart.NOTHING;
                    }
                    Sorted sorted = sort(change, letters, options.evenIfLate(), selection.leavesOutConflicts());
                    Instant nextDue = move(change, sorted, new How(options.evenIfLate(), firstDue, options.interval()));
                    RequeuedPart part = new RequeuedPart(
                            letters.size(),
                            sorted.back.size(),
                            sorted.duplicates.size(),
                            sorted.refused(),
                            sorted.conflicts,
                            letters.get(letters.size() - 1).place(),
                            nextDue);
                    if (part.requeued() + part.duplicates() > 0) {
                        change.audit(
                                AdminAction.REQUEUE,
                                null,
                                part.describe(selection, options),
                                part.requeued() + part.duplicates());
                    }
                    return part;
                });
    }

    private static List<Candidate> find(AuditedChange change, Selection selection, @Nullable Cursor after, int limit)
            throws SQLException {
        try (Call call = change.call(AdminStatement.PART)) {
            return AdminReads.bind(call, change.consumer(), selection.filter())
                    .instant("cutoff", selection.cutoff())
                    .instant("after_at", after == null ? Values.EARLIEST : after.at())
                    .number("after_id", after == null ? Long.MIN_VALUE : after.id())
                    .number("limit", limit)
                    .all(row -> Candidate.read(change.session().rows(), row));
        }
    }

    private static @Nullable Candidate find(AuditedChange change, MessageKey key) throws SQLException {
        try (Call call = change.call(AdminStatement.ONE_LETTER)) {
            return call.consumer(change.consumer())
                    .key(key)
                    .first(row -> Candidate.read(change.session().rows(), row));
        }
    }

    private static Sorted sort(
            AuditedChange change, List<Candidate> letters, boolean evenIfLate, boolean leavesOutConflicts)
            throws SQLException {
        change.session()
                .operations()
                .lockWorkPartitions(
                        change.consumer(),
                        letters.stream()
                                .filter(Candidate::ordered)
                                .map(Candidate::workPartition)
                                .distinct()
                                .sorted()
                                .toList());
        Map<Long, Locked> locked = lock(change, letters);
        List<MessageKey> unclaimed = letters.stream()
                .filter(letter -> {
                    Locked found = locked.get(letter.id());
                    return found != null
                            && !found.claimed()
                            && !found.is(DeadReason.BYTES_NOT_STORED)
                            && !(leavesOutConflicts && found.is(DeadReason.CONFLICT));
                })
                .map(Candidate::key)
                .sorted()
                .toList();
        Claim claim = unclaimed.isEmpty() ? null : change.session().operations().claim(change.consumer(), unclaimed);
        Sorted sorted = new Sorted();
        for (Candidate letter : letters) {
            Locked found = locked.get(letter.id());
            if (found == null) {
                continue;
            }
            if (leavesOutConflicts && found.is(DeadReason.CONFLICT)) {
                sorted.conflicts++;
            } else if (found.is(DeadReason.BYTES_NOT_STORED)) {
                sorted.bare++;
            } else if (found.claimed() || claim == null || claim.claimed().contains(letter.key())) {
                sorted.back.add(letter);
            } else if (claim.isFromTheFuture(letter.key())) {
                sorted.future++;
            } else if (!claim.isLate(letter.key())) {
                sorted.duplicates.add(letter);
            } else if (evenIfLate) {
                sorted.back.add(letter);
            } else {
                sorted.late++;
            }
        }
        return sorted;
    }

    /** Whether the ledger has its key, and why it died. */
    private record Locked(boolean claimed, String reason) {
        boolean is(DeadReason other) {
            return reason.equals(other.name());
        }
    }

    /** The letters that are still there, by their ids. */
    private static Map<Long, Locked> lock(AuditedChange change, List<Candidate> letters) throws SQLException {
        try (Call call = change.session().call(AdminStatement.LOCK_LETTERS, letters.size())) {
            return call
                    .consumer(change.consumer())
                    .numbers("ids", ids(letters))
                    .all(row -> Map.entry(row.getLong(1), new Locked(row.getBoolean(3), row.getString(4))))
                    .stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        }
    }

    private static List<Long> ids(List<Candidate> letters) {
        return letters.stream().map(Candidate::id).toList();
    }

    /** Answers when the next message would be due; null where none was moved. */
    private static @Nullable Instant move(AuditedChange change, Sorted sorted, How how) throws SQLException {
        Instant nextDue = null;
        if (!sorted.back.isEmpty()) {
            Instant firstDue = how.firstDue();
            Instant first = firstDue == null ? change.session().now() : firstDue;
            nextDue = first.plus(how.interval().multipliedBy(sorted.back.size()));
            Set<Long> moved =
                    change.session().operations().requeue(change.consumer(), ids(sorted.back), first, how.interval());
            sorted.back.removeIf(letter -> {
                boolean stayed = !moved.contains(letter.id());
                if (stayed) {
                    sorted.duplicates.add(letter);
                }
                return stayed;
            });
        }
        if (!sorted.duplicates.isEmpty()) {
            try (Call call = change.session().call(MessageStatement.DELETE_DEAD_LETTER)) {
                for (Candidate duplicate : sorted.duplicates) {
                    call.number("id", duplicate.id()).addBatch();
                }
                call.changeLockedBatch(sorted.duplicates.size());
            }
        }
        return nextDue;
    }
}
