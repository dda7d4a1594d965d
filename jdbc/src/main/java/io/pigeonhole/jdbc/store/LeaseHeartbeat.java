package io.pigeonhole.jdbc.store;

import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Prolongs leases, each time in a transaction on a connection that is taken for this one and given back as it was. */
public final class LeaseHeartbeat implements Heartbeat {
    /** A heartbeat that hangs at an answer is given up while there is still time for others, however short the lease is. */
    private static final int LONGEST_ANSWERS_PER_LEASE = 6;

    private final ShortTransactions transactions;

    public LeaseHeartbeat(ShortTransactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
        return transactions.runOnce(
                "to prolong " + items.size() + " leases",
                duration.dividedBy(LONGEST_ANSWERS_PER_LEASE),
                session -> prolong(session, consumer, items, duration));
    }

    /**
     * Without waiting: who has locked such a row is about to finish it and is not to be waited for. Its lease is still answered as the
     * newest.
     */
    private static Set<Long> prolong(
            AdminSession session, RegisteredConsumer consumer, List<WorkItem> items, Duration duration)
            throws SQLException {
        // The greater is the newer, where a node has leased a message again.
        Map<Long, Long> tokens = items.stream().collect(Collectors.toMap(WorkItem::id, WorkItem::token, Math::max));
        Set<Long> newest;
        try (Call call = session.call(LeaseStatement.FIND, tokens.size())) {
            newest = newest(call.consumer(consumer).numbers("ids", sorted(tokens.keySet())), tokens);
        }
        if (!newest.isEmpty()) {
            Set<Long> locked;
            try (Call call = session.call(LeaseStatement.LOCK, newest.size())) {
                locked = newest(call.numbers("ids", sorted(newest)), tokens);
            }
            prolong(session, sorted(locked), duration);
        }
        return newest;
    }

    private static List<Long> sorted(Set<Long> ids) {
        return ids.stream().sorted().toList();
    }

    /** Which leases still have the token that the row has. */
    private static Set<Long> newest(Call call, Map<Long, Long> tokens) throws SQLException {
        return call.read(rows -> {
            Set<Long> newest = new HashSet<>();
            while (rows.next()) {
                long id = rows.getLong(1);
                if (Long.valueOf(rows.getLong(2)).equals(tokens.get(id))) {
                    newest.add(id);
                }
            }
            return newest;
        });
    }

    private static void prolong(AdminSession session, List<Long> locked, Duration duration) throws SQLException {
        if (locked.isEmpty()) {
            return;
        }
        Instant now = session.now();
        try (Call call = session.call(LeaseStatement.PROLONG)) {
            for (Long id : locked) {
                call.instant("until", now.plus(duration))
                        .instant("now", now)
                        .number("id", id)
                        .addBatch();
            }
            call.changeLockedBatch(locked.size());
        }
    }

    /** Nothing is kept between two calls. */
    @Override
    public void close() {}
}
