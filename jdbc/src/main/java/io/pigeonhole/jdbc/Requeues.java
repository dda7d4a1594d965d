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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Puts dead letters back to work. The lanes of ordered ones are locked before, as those do who store messages: no delivery
 * of the same ordering key is being handled while its message comes back.
 */
final class Requeues {
    private static final String LONG_AGO = "-infinity";

    private final ConnectionSource connections;

    Requeues(ConnectionSource connections) {
        this.connections = connections;
    }

    /** A dead letter as it was found, not locked. */
    private record Candidate(long id, MessageKey key, int lane, boolean ordered, Cursor place) {
        static Candidate read(ResultSet row) throws SQLException {
            long id = row.getLong(1);
            return new Candidate(
                    id,
                    MessageKey.of(row.getObject(2, UUID.class)),
                    row.getInt(3),
                    row.getBoolean(4),
                    new Cursor(AdminRows.instant(row, 5), id));
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
        return AdminErrand.run(connections, "to requeue a dead letter", consumer, by, errand -> {
                    Candidate letter = errand.ask(AdminReadStatements.ONE_LETTER, key, Candidate::read);
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
                connections, "to requeue dead letters", selection.filter().consumer(), by, errand -> {
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
        try (PreparedStatement statement = errand.connection().prepareStatement(AdminReadStatements.PART)) {
            int next = AdminReads.bindFilter(statement, 1, errand.consumer(), selection.filter());
            statement.setString(next++, selection.cutoff().toString());
            statement.setString(next++, after == null ? LONG_AGO : after.at().toString());
            statement.setLong(next++, after == null ? Long.MIN_VALUE : after.id());
            statement.setInt(next, limit);
            return AdminRows.readAll(statement, Candidate::read);
        }
    }

    private static Sorted sort(AdminErrand errand, List<Candidate> letters, boolean evenIfLate) throws SQLException {
        errand.lockLanes(letters.stream()
                .filter(Candidate::ordered)
                .map(Candidate::lane)
                .distinct()
                .toList());
        Map<Long, Boolean> locked = lock(errand, letters);
        List<MessageKey> unclaimed = letters.stream()
                .filter(letter -> Boolean.FALSE.equals(locked.get(letter.id())))
                .map(Candidate::key)
                .sorted()
                .toList();
        Claim claim = unclaimed.isEmpty() ? null : Claims.byHand(errand.connection(), errand.consumer(), unclaimed);
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
        try (PreparedStatement statement = errand.connection().prepareStatement(AdminChangeStatements.LOCK_LETTERS)) {
            statement.setShort(1, errand.consumer().id());
            statement.setString(
                    2, AdminErrand.array(letters.stream().map(Candidate::id).toList()));
            Map<Long, Boolean> claimed = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    claimed.put(rows.getLong(1), rows.getBoolean(3));
                }
            }
            return claimed;
        }
    }

    /** Answers when the next message would be due; null where none was moved. */
    private static @Nullable Instant move(AdminErrand errand, Sorted sorted, How how) throws SQLException {
        Instant nextDue = null;
        if (!sorted.back.isEmpty()) {
            Instant first = instantOrNow(errand, how.firstDue());
            List<Long> delays = new ArrayList<>();
            for (int i = 0; i < sorted.back.size(); i++) {
                delays.add(how.interval().multipliedBy(i).toNanos() / 1_000);
            }
            Set<Long> moved = requeue(errand, sorted.back, delays, first);
            sorted.back.removeIf(letter -> {
                boolean stayed = !moved.contains(letter.id());
                if (stayed) {
                    sorted.duplicates.add(letter);
                }
                return stayed;
            });
            nextDue = first.plus(how.interval().multipliedBy(delays.size()));
        }
        if (!sorted.duplicates.isEmpty()) {
            try (PreparedStatement statement =
                    errand.connection().prepareStatement(AdminChangeStatements.DISCARD_LETTERS)) {
                statement.setString(
                        1,
                        AdminErrand.array(
                                sorted.duplicates.stream().map(Candidate::id).toList()));
                statement.executeUpdate();
            }
        }
        return nextDue;
    }

    private static Instant instantOrNow(AdminErrand errand, @Nullable Instant instant) throws SQLException {
        try (PreparedStatement statement = errand.connection().prepareStatement(AdminChangeStatements.INSTANT_OR_NOW)) {
            statement.setString(1, AdminReads.text(instant));
            return Objects.requireNonNull(AdminRows.readFirst(statement, row -> AdminRows.instant(row, 1)));
        }
    }

    private static Set<Long> requeue(AdminErrand errand, List<Candidate> letters, List<Long> delays, Instant first)
            throws SQLException {
        try (PreparedStatement statement = errand.connection().prepareStatement(AdminChangeStatements.REQUEUE)) {
            statement.setString(
                    1, AdminErrand.array(letters.stream().map(Candidate::id).toList()));
            statement.setString(2, AdminErrand.array(delays));
            statement.setShort(3, errand.consumer().id());
            statement.setString(4, first.toString());
            return new HashSet<>(AdminRows.readAll(statement, row -> row.getLong(1)));
        }
    }
}
