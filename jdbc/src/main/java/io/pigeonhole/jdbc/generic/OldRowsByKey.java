package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.jdbc.retention.FreshLook;
import io.pigeonhole.jdbc.retention.OldDays;
import io.pigeonhole.jdbc.retention.OldHistory;
import io.pigeonhole.jdbc.retention.OldKeys;
import io.pigeonhole.jdbc.retention.OldRowStatement;
import io.pigeonhole.jdbc.retention.OldRows;
import io.pigeonhole.jdbc.retention.RetentionLook;
import io.pigeonhole.jdbc.retention.RowPurge;
import io.pigeonhole.jdbc.retention.Upkeep;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;

/**
 * Looks at keys in their order, consumer by consumer, and at the history in the order of recording. What somebody else has locked
 * is not waited for, but left to the next pass: until it is over, a piece keeps what it has deleted from whoever delivers the same
 * keys again.
 */
final class OldRowsByKey implements OldRows {
    private static final MessageKey SMALLEST = new MessageKey(0, 0);

    /** No key lies between it and the first in digest form. */
    private static final MessageKey BEFORE_DIGESTS = new MessageKey(MessageKey.FIRST_DIGEST.high() - 1, -1);

    private final ShortTransactions transactions;
    private final boolean hasDays;
    private final OldHistory oldHistory;
    private final RowPurge rows;

    /**
     * The rows of a store.
     *
     * @param hasDays whether ledger and history have days, which are dropped
     */
    OldRowsByKey(ShortTransactions transactions, boolean hasDays, OldHistory oldHistory, RowPurge rows) {
        this.transactions = transactions;
        this.hasDays = hasDays;
        this.oldHistory = oldHistory;
        this.rows = rows;
    }

    @Override
    public Retired purgeKeys(RetentionLook look, MessageKey oldest) {
        Duration window = look.limits().window();
        return new Upkeep(OldDays.LEDGER, look, window)
                .next(transactions, (session, place) -> purgeKeys(session, place, oldest, window));
    }

    /**
     * The next keys of a consumer: in digest form, and where there are no days to drop, below the ledger's bounds. The place is
     * {@code consumer:key}, the last that was looked at.
     */
    private Upkeep.Piece purgeKeys(AdminSession session, String place, MessageKey oldest, Duration window)
            throws SQLException {
        int colon = place.indexOf(':');
        int consumer = colon < 0 ? nextConsumer(session, 0) : Integer.parseInt(place.substring(0, colon));
        if (consumer == 0) {
            return new Upkeep.Piece("", 0);
        }
        MessageKey first = hasDays ? BEFORE_DIGESTS : SMALLEST;
        MessageKey after = colon < 0 ? first : MessageKey.of(HexFormat.of().parseHex(place.substring(colon + 1)));
        Instant kept = session.now().minus(window);
        List<LedgerKey> keys = nextKeys(session, consumer, after);
        List<MessageKey> old = keys.stream()
                .filter(key -> key.isOld(oldest, kept))
                .map(LedgerKey::key)
                .toList();
        long deleted = OldKeys.delete(session, consumer, old);
        if (keys.size() == rows.limit()) {
            MessageKey last = keys.get(rows.limit() - 1).key();
            boolean past = last.isTimeForm() && last.compareTo(oldest) >= 0;
            return new Upkeep.Piece(place(consumer, past ? BEFORE_DIGESTS : last), deleted);
        }
        int next = nextConsumer(session, consumer);
        return new Upkeep.Piece(next == 0 ? "" : place(next, first), deleted);
    }

    private List<LedgerKey> nextKeys(AdminSession session, int consumer, MessageKey after) throws SQLException {
        try (Call call = session.call(OldRowStatement.NEXT_KEYS)) {
            return call.number("consumer", consumer)
                    .key(after)
                    .number("limit", rows.limit())
                    .all(row -> new LedgerKey(
                            session.rows().key(row, 1), session.rows().instant(row, 2)));
        }
    }

    /** A key of the ledger, and when it was accepted. */
    private record LedgerKey(MessageKey key, Instant acceptedAt) {
        boolean isOld(MessageKey oldest, Instant kept) {
            return key.isTimeForm() ? key.compareTo(oldest) < 0 : acceptedAt.isBefore(kept);
        }
    }

    private static String place(int consumer, MessageKey key) {
        return consumer + ":" + HexFormat.of().formatHex(key.toBytes());
    }

    /** Zero where there is none. */
    private static int nextConsumer(AdminSession session, int above) throws SQLException {
        try (Call call = session.call(OldRowStatement.NEXT_CONSUMER)) {
            Integer next = call.number("above", above).first(row -> row.getInt(1));
            return next == null ? 0 : next;
        }
    }

    /** Day by day as well, so that a day which is needed stays as a whole, and what is younger. */
    @Override
    public Retired purgeHistory(Instant now, FreshLook fresh) {
        if (hasDays) {
            return Retired.NOTHING;
        }
        LocalDate oldest = transactions.run("to find the oldest message of the history", OldRowsByKey::oldestOfHistory);
        if (!fresh.isPastInHistory(oldest, now) || !oldHistory.mayGoInPieces(oldest)) {
            return Retired.NOTHING;
        }
        // Another program may have said meanwhile that it wants the day.
        return fresh.use(look -> look.isPastInHistory(oldest, now) ? purgeDay(oldest, look) : Retired.NOTHING);
    }

    private Retired purgeDay(LocalDate day, RetentionLook look) {
        Upkeep upkeep = new Upkeep(OldDays.HISTORY, look, look.limits().history());
        return oldHistory.letGo(
                day,
                Retired.NOTHING,
                hold -> upkeep.next(transactions, (session, place) -> purgeDay(session, place, day)));
    }

    /**
     * By its end and not by an age: time goes on until the piece begins, and the next day is not to go with this one. That day is
     * a pass of its own, which waits for its time only where something of this one stays.
     */
    private Upkeep.Piece purgeDay(AdminSession session, String place, LocalDate day) throws SQLException {
        Upkeep.Piece piece = rows.history(
                session, place, day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant());
        // The place is that of this day: the next one may have smaller numbers.
        return oldestOfHistory(session).isAfter(day) ? new Upkeep.Piece("", piece.deleted(), false) : piece;
    }

    private static LocalDate oldestOfHistory(AdminSession session) throws SQLException {
        try (Call call = session.call(OldRowStatement.OLDEST_HISTORY)) {
            LocalDate oldest =
                    call.first(row -> LocalDate.ofInstant(session.rows().instant(row, 1), ZoneOffset.UTC));
            return oldest == null ? LocalDate.MAX : oldest;
        }
    }
}
