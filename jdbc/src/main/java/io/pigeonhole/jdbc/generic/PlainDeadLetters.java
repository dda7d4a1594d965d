package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
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

    static void add(PlainSession session, RegisteredConsumer consumer, List<DeadLetter> letters) throws SQLException {
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
                session.delete(MessageStatement.DELETE_FROM_WORK, item.id());
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
        return put(session, consumer, letter, Places.next(session), seenAgain, place -> {
            try (Call call = session.call(DeadLetterStatement.ADD)) {
                FailedAttempt attempt = letter.attempt();
                PlainColumns.bindInWorkPartition(call.number("place", place), consumer, letter.key(), letter.message());
                return bindReason(call, consumer, letter, attempt == null ? 0 : attempt.number())
                        .now()
                        .change();
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
                session.delete(MessageStatement.DELETE_DEAD_LETTER, there.id());
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
        for (int i = 0; i < Places.MOST_TRIES; i++) {
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
        throw Places.noneIsFree();
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
        try (Call call = session.call(DeadLetterStatement.NOT_SEEN)) {
            return call.number("place", place).consumer(consumer).key(key).change() > 0;
        }
    }

    /**
     * The same place, where no letter of another message has it: then the message had a letter that made the insert fail, and that
     * is gone by now.
     */
    static long freePlace(PlainSession session, RegisteredConsumer consumer, MessageKey key, long place)
            throws SQLException {
        try (Call call = session.call(DeadLetterStatement.IS_TAKEN)) {
            boolean taken =
                    call.number("place", place).consumer(consumer).key(key).hasRow();
            return taken ? anotherPlace(session, place) : place;
        }
    }

    /**
     * A place that no message has, for one whose own another message has. That one keeps its place, so that the order among
     * the others stays.
     */
    static long anotherPlace(PlainSession session, long taken) throws SQLException {
        long place = Places.behindAll(session);
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
        try (Call call = session.call(DeadLetterStatement.RECOUNT)) {
            call.number("seen_again", seenAgain).number("place", place).change();
        }
    }

    private static int move(
            PlainSession session, RegisteredConsumer consumer, DeadLetter letter, WorkItem item, long place)
            throws SQLException {
        try (Call call = session.call(DeadLetterStatement.COPY_FROM_WORK)) {
            FailedAttempt attempt = letter.attempt();
            int attempts = attempt == null ? item.attempts() : attempt.number();
            return bindReason(call.number("place", place), consumer, letter, attempts)
                    .now()
                    .number("id", item.id())
                    .change();
        }
    }

    private static Call bindReason(Call call, RegisteredConsumer consumer, DeadLetter letter, int attempts)
            throws SQLException {
        return call.flag("blocks", letter.blocks(consumer))
                .text("reason", letter.reason().name())
                .text("detail", letter.detail())
                .flag("claimed", letter.claimed())
                .number("attempts", attempts);
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
                session.delete(MessageStatement.DELETE_DEAD_LETTER, letter.id());
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
        try (Call call = session.call(MoveStatement.REQUEUE)) {
            Instant now = session.now();
            call.number("place", place)
                    .instant("due", now)
                    .instant("now", now)
                    .number("id", letter.id())
                    .changeLocked();
        }
    }

    /** Whether a message in work has a place. */
    static boolean isInWork(PlainSession session, long place) throws SQLException {
        try (Call call = session.call(DeadLetterStatement.IS_IN_WORK)) {
            return call.number("place", place).hasRow();
        }
    }

    private static List<Letter> lock(PlainSession session, RegisteredConsumer consumer, Collection<MessageKey> keys)
            throws SQLException {
        Set<MessageKey> wanted = Set.copyOf(keys);
        List<Long> ids = ids(session, consumer, wanted);
        if (ids.isEmpty()) {
            return List.of();
        }
        try (Call call = session.call(DeadLetterStatement.LOCK, ids.size())) {
            List<Letter> letters = call.numbers("ids", ids).consumer(consumer).all(Letter::read);
            // Another message may have the place by now.
            return letters.stream()
                    .filter(letter -> wanted.contains(letter.key()))
                    .toList();
        }
    }

    private static List<Long> ids(PlainSession session, RegisteredConsumer consumer, Set<MessageKey> keys)
            throws SQLException {
        try (Call call = session.call(DeadLetterStatement.IDS, keys.size())) {
            List<Long> ids = call.consumer(consumer).keys(keys).all(row -> row.getLong(1));
            ids.sort(null);
            return ids;
        }
    }

    /** A dead letter that is locked. */
    private record Letter(long id, MessageKey key, boolean claimed, int seenAgain, boolean bare) {
        static Letter read(ResultSet row) throws SQLException {
            return new Letter(
                    row.getLong(1),
                    PlainColumns.key(row, 2),
                    row.getBoolean(3),
                    row.getInt(4),
                    DeadReason.BYTES_NOT_STORED.name().equals(row.getString(5)));
        }
    }
}
