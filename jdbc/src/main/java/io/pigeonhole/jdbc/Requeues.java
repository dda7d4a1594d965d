package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeuedPart;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
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

/**
 * Puts dead letters back to work. The lanes of ordered ones are locked before, as those do who store messages: no delivery
 * of the same ordering key is being handled while its message comes back.
 */
final class Requeues {
    private final AdminDatabase database;

    Requeues(AdminDatabase database) {
        this.database = database;
    }

    /** A dead letter as it was found, not locked. */
    private record Candidate(long id, MessageKey key, int lane, boolean ordered, Cursor place) {
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

        int refused() {
            return late + future;
        }
    }

    /** A part of the work, and how it is to be done. */
    private record How(boolean evenIfLate, @Nullable Instant firstDue, Duration interval) {}

    Answer one(String consumer, MessageKey key, boolean evenIfLate, Author by) {
        return AdminErrand.run(database, "to requeue a dead letter", consumer, by, errand -> {
                    Candidate letter = find(errand, key);
                    if (letter == null) {
                        return Answers.notDead(key);
                    }
                    Sorted sorted = sort(errand, List.of(letter), evenIfLate);
                    if (sorted.late > 0) {
                        return Answers.late();
                    }
                    if (sorted.future > 0) {
                        return Answers.fromTheFuture();
                    }
                    move(errand, sorted, new How(evenIfLate, null, Duration.ZERO));
                    if (!sorted.duplicates.isEmpty()) {
                        errand.audit(AdminAction.REQUEUE, key, "accepted since: the letter is removed", 1);
                        return Answers.duplicate();
                    }
                    if (sorted.back.isEmpty()) {
                        return Answers.notDead(key);
                    }
                    errand.audit(AdminAction.REQUEUE, key, evenIfLate ? "even if late" : "", 1);
                    return Answer.done("back in work, due now");
                })
                .orElseGet(Answers::busy);
    }

    Optional<RequeuedPart> part(
            Selection selection,
            @Nullable Cursor after,
            int limit,
            Requeue options,
            @Nullable Instant firstDue,
            Author by) {
        return AdminErrand.run(
                database, "to requeue dead letters", selection.filter().consumer(), by, errand -> {
                    List<Candidate> letters = find(errand, selection, after, limit);
                    if (letters.isEmpty()) {
                        return new RequeuedPart(0, 0, 0, 0, null, null);
                    }
                    Sorted sorted = sort(errand, letters, options.evenIfLate());
                    Instant nextDue = move(errand, sorted, new How(options.evenIfLate(), firstDue, options.interval()));
                    RequeuedPart part = new RequeuedPart(
                            letters.size(),
                            sorted.back.size(),
                            sorted.duplicates.size(),
                            sorted.refused(),
                            letters.get(letters.size() - 1).place(),
                            nextDue);
                    if (part.requeued() + part.duplicates() > 0) {
                        errand.audit(
                                AdminAction.REQUEUE,
                                null,
                                part.describe(selection, options),
                                part.requeued() + part.duplicates());
                    }
                    return part;
                });
    }

    private static List<Candidate> find(AdminErrand errand, Selection selection, @Nullable Cursor after, int limit)
            throws SQLException {
        try (AdminCall call = errand.call(AdminStatement.PART)) {
            return AdminReads.bind(call, errand.consumer(), selection.filter())
                    .instant(selection.cutoff())
                    .behind(after)
                    .count(limit)
                    .all(row -> Candidate.read(call.rows, row));
        }
    }

    private static @Nullable Candidate find(AdminErrand errand, MessageKey key) throws SQLException {
        try (AdminCall call = errand.call(AdminStatement.ONE_LETTER)) {
            return call.consumer(errand.consumer()).key(key).first(row -> Candidate.read(call.rows, row));
        }
    }

    private static Sorted sort(AdminErrand errand, List<Candidate> letters, boolean evenIfLate) throws SQLException {
        errand.session()
                .lockLanes(
                        errand.consumer(),
                        letters.stream()
                                .filter(Candidate::ordered)
                                .map(Candidate::lane)
                                .distinct()
                                .sorted()
                                .toList());
        Map<Long, Boolean> locked = lock(errand, letters);
        List<MessageKey> unclaimed = letters.stream()
                .filter(letter -> Boolean.FALSE.equals(locked.get(letter.id())))
                .map(Candidate::key)
                .sorted()
                .toList();
        Claim claim = unclaimed.isEmpty() ? null : errand.session().claim(errand.consumer(), unclaimed);
        Sorted sorted = new Sorted();
        for (Candidate letter : letters) {
            Boolean claimed = locked.get(letter.id());
            if (claimed == null) {
                continue;
            }
            if (claimed || claim == null || claim.claimed().contains(letter.key())) {
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

    /** Whether the ledger has the keys of the letters that are still there, by their ids. */
    private static Map<Long, Boolean> lock(AdminErrand errand, List<Candidate> letters) throws SQLException {
        try (AdminCall call = errand.session().call(AdminStatement.LOCK_LETTERS, letters.size())) {
            return call
                    .consumer(errand.consumer())
                    .ids(ids(letters))
                    .all(row -> Map.entry(row.getLong(1), row.getBoolean(3)))
                    .stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        }
    }

    private static List<Long> ids(List<Candidate> letters) {
        return letters.stream().map(Candidate::id).toList();
    }

    /** Answers when the next message would be due; null where none was moved. */
    private static @Nullable Instant move(AdminErrand errand, Sorted sorted, How how) throws SQLException {
        Instant nextDue = null;
        if (!sorted.back.isEmpty()) {
            Instant firstDue = how.firstDue();
            Instant first = firstDue == null ? errand.session().now() : firstDue;
            nextDue = first.plus(how.interval().multipliedBy(sorted.back.size()));
            Set<Long> moved = errand.session().requeue(errand.consumer(), ids(sorted.back), first, how.interval());
            sorted.back.removeIf(letter -> {
                boolean stayed = !moved.contains(letter.id());
                if (stayed) {
                    sorted.duplicates.add(letter);
                }
                return stayed;
            });
        }
        if (!sorted.duplicates.isEmpty()) {
            try (AdminCall call = errand.session().call(AdminStatement.DISCARD_LETTERS, sorted.duplicates.size())) {
                call.ids(ids(sorted.duplicates)).change();
            }
        }
        return nextDue;
    }
}
