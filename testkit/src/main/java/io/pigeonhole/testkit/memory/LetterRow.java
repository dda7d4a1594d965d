package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Instant;
import java.util.Comparator;

/**
 * A dead letter. It keeps its place and its token from work: a lease from before must not pass for one from after a
 * reopening.
 */
record LetterRow(
        Row row,
        long id,
        DeadLetter letter,
        boolean blocks,
        int attempts,
        boolean byLease,
        long token,
        int seenAgain,
        Instant received,
        Instant died) {
    /** Those that died first come first. */
    static final Comparator<LetterRow> BY_DEATH =
            Comparator.comparing(LetterRow::died).thenComparingLong(LetterRow::id);

    static LetterRow of(
            RegisteredConsumer consumer, DeadLetter letter, Row row, long id, Instant received, Instant now) {
        FailedAttempt last = letter.attempt();
        WorkItem item = letter.item();
        int attempts = last != null ? last.number() : item != null ? item.attempts() : 0;
        return new LetterRow(
                row,
                id,
                letter,
                letter.blocks(consumer),
                attempts,
                item != null && item.byLease(),
                item == null ? 0 : item.token(),
                0,
                received,
                now);
    }

    LetterRow seenOnceMore() {
        return new LetterRow(row, id, letter, blocks, attempts, byLease, token, seenAgain + 1, received, died);
    }

    /** The same where the message dies again: once it is accepted, the letter is that of the accepted message. */
    LetterRow seenOnceMore(LetterRow newer) {
        if (letter.claimed() || !newer.letter.claimed()) {
            return seenOnceMore();
        }
        return new LetterRow(
                row,
                newer.id,
                newer.letter,
                newer.blocks,
                newer.attempts,
                newer.byLease,
                newer.token,
                seenAgain + 1,
                newer.received,
                newer.died);
    }

    LetterRow blockingNoLonger() {
        return new LetterRow(row, id, letter, false, attempts, byLease, token, seenAgain, received, died);
    }

    /** Whether messages of the key that arrived after it must wait. */
    boolean blocks(RegisteredConsumer consumer, OrderingKey key) {
        return blocks && row.consumer() == consumer.id() && key.equals(OrderingKey.of(letter.message()));
    }

    /** Its place in the order in which messages became dead letters. */
    Cursor cursor() {
        return new Cursor(died, id);
    }

    boolean isBehind(Cursor place) {
        return compareTo(place) > 0;
    }

    boolean isBefore(Cursor place) {
        return compareTo(place) < 0;
    }

    private int compareTo(Cursor place) {
        int byTime = died.compareTo(place.at());
        return byTime != 0 ? byTime : Long.compare(id, place.id());
    }
}
