package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.DeadReason;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rows of {@code inbox_dead_letter}. */
final class PlainDeadLetters {
    /** What {@link #makeRoom} answers where a letter stays as it is. */
    static final int STAYS = -1;

    private static final Logger log = LoggerFactory.getLogger(PlainDeadLetters.class);

    private PlainDeadLetters() {}

    static void bury(PlainSession session, RegisteredConsumer consumer, List<DeadLetter> letters) throws SQLException {
        List<WorkItem> items =
                letters.stream().map(DeadLetter::item).filter(Objects::nonNull).toList();
        if (!items.isEmpty()) {
            PlainWork.requireOwned(session, consumer, items);
        }
        for (DeadLetter letter : letters) {
            WorkItem item = letter.item();
            boolean isNew = true;
            if (item == null) {
                isNew = insert(session, consumer, letter);
            } else {
                put(session, consumer, letter, item.id(), 0, place -> move(session, consumer, letter, item, place));
                remove(session, WorkStatement.FINISH, item.id());
            }
            FailedAttempt attempt = letter.attempt();
            if (attempt != null && isNew) {
                PlainWork.noteAttempts(session, consumer, Map.of(letter.key(), attempt));
            }
        }
    }

    /** Answers false where one is there that stays. */
    private static boolean insert(PlainSession session, RegisteredConsumer consumer, DeadLetter letter)
            throws SQLException {
        int seenAgain = makeRoom(session, consumer, letter.key(), letter.claimed());
        if (seenAgain == STAYS) {
            return false;
        }
        return put(session, consumer, letter, takePlace(session), seenAgain, place -> {
            try (PreparedStatement statement = session.prepare(DeadLetterStatement.BURY)) {
                statement.setLong(1, place);
                int next = PlainColumns.bindInLane(statement, 2, consumer, letter.key(), letter.message());
                FailedAttempt attempt = letter.attempt();
                next = bindReason(statement, next, consumer, letter, attempt == null ? 0 : attempt.number());
                LocalDateTime now = session.timestamp();
                statement.setObject(next, now);
                statement.setObject(next + 1, now);
                return statement.executeUpdate();
            }
        });
    }

    /**
     * Counts a letter that is there already. One that was never claimed gives way to a claimed one, which is the letter of its
     * message since that was accepted: a requeue must not take it for one whose message has taken effect.
     *
     * @return how often the one that gave way was seen again, 0 where there is none, {@link #STAYS} where it stays
     */
    static int makeRoom(PlainSession session, RegisteredConsumer consumer, MessageKey key, boolean claimed)
            throws SQLException {
        return countAgain(session, consumer, key) ? giveWay(session, consumer, key, claimed) : 0;
    }

    private static int giveWay(PlainSession session, RegisteredConsumer consumer, MessageKey key, boolean claimed)
            throws SQLException {
        for (Letter there : claimed ? lock(session, consumer, List.of(key)) : List.<Letter>of()) {
            if (!there.claimed()) {
                remove(session, DeadLetterStatement.REMOVE, there.id());
                return there.seenAgain();
            }
        }
        return STAYS;
    }

    /**
     * Answers false where one is there that stays. Where another message has the place, because the numbers have begun anew,
     * it goes behind all: to take that one for the message's own would lose the message.
     */
    private static boolean put(
            PlainSession session,
            RegisteredConsumer consumer,
            DeadLetter letter,
            long ownPlace,
            int seenBefore,
            Insertion insertion)
            throws SQLException {
        int seenAgain = seenBefore;
        long place = ownPlace;
        for (int i = 0; i < PlainNumbers.MOST_TRIES; i++) {
            if (isInserted(session, consumer, letter.key(), place, insertion)) {
                if (seenAgain > 0) {
                    recount(session, place, seenAgain);
                }
                return true;
            }
            if (lock(session, consumer, List.of(letter.key())).isEmpty()) {
                place = freePlace(session, consumer, letter.key(), place);
            } else {
                seenAgain = giveWay(session, consumer, letter.key(), letter.claimed());
                if (seenAgain == STAYS) {
                    return false;
                }
            }
        }
        throw PlainNumbers.noneIsFree();
    }

    /** False where the message has a letter, which is then counted, or another message has the place. */
    private static boolean isInserted(
            PlainSession session, RegisteredConsumer consumer, MessageKey key, long place, Insertion insertion)
            throws SQLException {
        try {
            // More than one row where a dialect's text counts the letter that is there already.
            if (insertion.at(place) == 1) {
                return true;
            }
            if (!notSeen(session, consumer, key, place)) {
                return false;
            }
        } catch (SQLException e) {
            if (!session.dialect().isDuplicateKey(e)) {
                throw e;
            }
        }
        countAgain(session, consumer, key);
        return false;
    }

    /** Takes back that the letter of another message was counted, because it has the place. */
    private static boolean notSeen(PlainSession session, RegisteredConsumer consumer, MessageKey key, long place)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(DeadLetterStatement.NOT_SEEN)) {
            statement.setLong(1, place);
            statement.setShort(2, consumer.id());
            statement.setBytes(3, key.toBytes());
            return statement.executeUpdate() > 0;
        }
    }

    /**
     * The same place, where no letter of another message has it: then the message had a letter that made the insert fail, and that
     * is gone by now.
     */
    static long freePlace(PlainSession session, RegisteredConsumer consumer, MessageKey key, long place)
            throws SQLException {
        boolean taken;
        try (PreparedStatement statement = session.prepare(DeadLetterStatement.IS_TAKEN)) {
            statement.setLong(1, place);
            statement.setShort(2, consumer.id());
            statement.setBytes(3, key.toBytes());
            try (ResultSet row = statement.executeQuery()) {
                taken = row.next();
            }
        }
        return taken ? anotherPlace(session, place) : place;
    }

    /**
     * A place that no message has, for one whose own another message has. That one keeps its place, so that the order among
     * the others stays.
     */
    static long anotherPlace(PlainSession session, long taken) throws SQLException {
        long place = PlainNumbers.behindAll(session);
        log.warn(
                "the place {} in the order of arrival belongs to two messages, because the numbers of inbox_work have begun"
                        + " anew, by TRUNCATE or a restore without the counter: one of them goes to {}, behind all others",
                taken,
                place);
        return place;
    }

    /** Writes a letter at a place, and answers how many rows the database counts. */
    @FunctionalInterface
    private interface Insertion {
        int at(long place) throws SQLException;
    }

    /** Says of the letter at a place how often it was seen again. */
    static void recount(PlainSession session, long place, int seenAgain) throws SQLException {
        try (PreparedStatement statement = session.prepare(DeadLetterStatement.RECOUNT)) {
            statement.setInt(1, seenAgain);
            statement.setLong(2, place);
            statement.executeUpdate();
        }
    }

    private static long takePlace(PlainSession session) throws SQLException {
        String sql = session.dialect().text(DeadLetterStatement.TAKE_PLACE);
        long id;
        try (PreparedStatement statement =
                session.connection().prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            statement.setBytes(1, PlainNumbers.anyKey());
            statement.setBytes(2, new byte[0]);
            LocalDateTime now = session.timestamp();
            for (int i = 3; i <= 6; i++) {
                statement.setObject(i, now);
            }
            statement.executeUpdate();
            try (ResultSet key = statement.getGeneratedKeys()) {
                key.next();
                id = key.getLong(1);
            }
        } catch (SQLException e) {
            if (!session.dialect().isDuplicateKey(e)) {
                throw e;
            }
            return PlainNumbers.behindAll(session);
        }
        remove(session, WorkStatement.FINISH, id);
        return id;
    }

    private static int move(
            PlainSession session, RegisteredConsumer consumer, DeadLetter letter, WorkItem item, long place)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(DeadLetterStatement.BURY_FROM_WORK)) {
            FailedAttempt attempt = letter.attempt();
            statement.setLong(1, place);
            int next = bindReason(statement, 2, consumer, letter, attempt == null ? item.attempts() : attempt.number());
            statement.setObject(next, session.timestamp());
            statement.setLong(next + 1, item.id());
            return statement.executeUpdate();
        }
    }

    private static int bindReason(
            PreparedStatement statement, int first, RegisteredConsumer consumer, DeadLetter letter, int attempts)
            throws SQLException {
        statement.setBoolean(first, letter.blocks(consumer));
        statement.setString(first + 1, letter.reason().name());
        statement.setString(first + 2, CleanText.of(letter.detail()));
        statement.setBoolean(first + 3, letter.claimed());
        statement.setInt(first + 4, attempts);
        return first + 5;
    }

    /** Counts one delivery more; false where the message is no dead letter. */
    private static boolean countAgain(PlainSession session, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        List<Letter> letters = lock(session, consumer, List.of(key));
        countAgain(session, letters);
        return !letters.isEmpty();
    }

    /** Counts one delivery more of each. */
    private static void countAgain(PlainSession session, List<Letter> letters) throws SQLException {
        session.each(
                DeadLetterStatement.SEEN_AGAIN, letters.stream().map(Letter::id).toList());
    }

    static void remove(PlainSession session, PlainStatement deletion, long id) throws SQLException {
        try (PreparedStatement statement = session.prepare(deletion)) {
            statement.setLong(1, id);
            statement.executeUpdate();
        }
    }

    static Set<MessageKey> seenAgain(PlainSession session, RegisteredConsumer consumer, Collection<MessageKey> keys)
            throws SQLException {
        List<Letter> letters = lock(session, consumer, keys);
        countAgain(session, letters);
        return letters.stream().map(Letter::key).collect(Collectors.toSet());
    }

    static Set<MessageKey> reopen(PlainSession session, RegisteredConsumer consumer, Collection<MessageKey> keys)
            throws SQLException {
        Set<MessageKey> reopened = new HashSet<>();
        for (Letter letter : lock(session, consumer, keys)) {
            if (letter.claimed() && !letter.bare()) {
                toWork(session, letter);
                remove(session, DeadLetterStatement.REMOVE, letter.id());
                reopened.add(letter.key());
            }
        }
        return reopened;
    }

    private static void toWork(PlainSession session, Letter letter) throws SQLException {
        try {
            toWork(session, letter, letter.id());
        } catch (SQLException e) {
            if (!session.dialect().isDuplicateKey(e) || !isInWork(session, letter.id())) {
                throw e;
            }
            toWork(session, letter, anotherPlace(session, letter.id()));
        }
    }

    private static void toWork(PlainSession session, Letter letter, long place) throws SQLException {
        LocalDateTime now = session.timestamp();
        try (PreparedStatement statement = session.prepare(DeadLetterStatement.REOPEN)) {
            statement.setLong(1, place);
            for (int i = 2; i <= 4; i++) {
                statement.setObject(i, now);
            }
            statement.setLong(5, letter.id());
            statement.executeUpdate();
        }
    }

    /** Whether a message in work has a place. */
    static boolean isInWork(PlainSession session, long place) throws SQLException {
        try (PreparedStatement statement = session.prepare(DeadLetterStatement.IS_IN_WORK)) {
            statement.setLong(1, place);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    private static List<Letter> lock(PlainSession session, RegisteredConsumer consumer, Collection<MessageKey> keys)
            throws SQLException {
        Set<MessageKey> wanted = Set.copyOf(keys);
        List<Long> ids = ids(session, consumer, wanted);
        List<Letter> letters = new ArrayList<>();
        if (ids.isEmpty()) {
            return letters;
        }
        try (PreparedStatement statement = session.prepare(DeadLetterStatement.LOCK, ids.size())) {
            int next = PlainSession.bindNumbers(statement, 1, ids);
            statement.setShort(next, consumer.id());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    MessageKey key = PlainColumns.key(rows, 2);
                    // Another message may have the place by now.
                    if (wanted.contains(key)) {
                        letters.add(new Letter(
                                rows.getLong(1),
                                key,
                                rows.getBoolean(3),
                                rows.getInt(4),
                                DeadReason.BYTES_NOT_STORED.name().equals(rows.getString(5))));
                    }
                }
            }
        }
        return letters;
    }

    private static List<Long> ids(PlainSession session, RegisteredConsumer consumer, Set<MessageKey> keys)
            throws SQLException {
        List<Long> ids = new ArrayList<>();
        try (PreparedStatement statement = session.prepare(DeadLetterStatement.IDS, keys.size())) {
            statement.setShort(1, consumer.id());
            PlainSession.bindKeys(statement, 2, keys);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
            }
        }
        ids.sort(null);
        return ids;
    }

    /** A dead letter that is locked. */
    private record Letter(long id, MessageKey key, boolean claimed, int seenAgain, boolean bare) {}
}
