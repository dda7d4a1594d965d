package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.postgresql.DueWork;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ConsumerStatement;
import io.pigeonhole.jdbc.sql.MessageColumns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds and locks what is due in a work partition, in the same way as {@link DueWork}: it plans in one view of the tables and locks
 * what it planned by its ids. What somebody else has or had in the meantime is left out, and with an order also what is
 * behind it.
 */
final class PlainDueWork {
    /** So many keys are asked about in one statement. */
    private static final int KEYS = 50;

    /** At least so many messages of each key are looked at. */
    private static final int OF_KEY = 64;

    /** A page that costs little where payloads are large, whose sizes a database may read them for. */
    private static final int FEW = 16;

    private final PlainSession session;
    private final RegisteredConsumer consumer;
    private final int workPartition;
    private final boolean byLease;
    private final Instant now;
    private final DueLocks locks;

    PlainDueWork(PlainSession session, RegisteredConsumer consumer, int workPartition, boolean byLease)
            throws SQLException {
        this.session = session;
        this.consumer = consumer;
        this.workPartition = workPartition;
        this.byLease = byLease;
        this.now = session.now();
        this.locks = new DueLocks(session, byLease, now);
    }

    /** Empty where the consumer is paused. */
    List<WorkItem> take(int limit, long bytes) throws SQLException {
        if (isPaused(session, consumer)) {
            return List.of();
        }
        return consumer.order().isKept() ? inOrder(limit, bytes) : withoutOrder(limit, bytes);
    }

    static boolean isPaused(PlainSession session, RegisteredConsumer consumer) throws SQLException {
        try (Call call = session.call(ConsumerStatement.IS_PAUSED)) {
            return Boolean.TRUE.equals(call.consumer(consumer).first(row -> row.getBoolean(1)));
        }
    }

    /** Page after page, passing what others have. */
    private List<WorkItem> withoutOrder(int limit, long bytes) throws SQLException {
        List<WorkItem> taken = new ArrayList<>();
        Place place = Place.FIRST;
        long room = bytes;
        while (taken.size() < limit) {
            List<Place> page = Place.within(room, page(place, limit - taken.size()), taken.isEmpty());
            if (page.isEmpty()) {
                break;
            }
            Map<Long, WorkItem> locked = lock(page.stream().map(Place::id).toList());
            for (Place planned : page) {
                WorkItem item = locked.get(planned.id());
                if (item != null) {
                    taken.add(item);
                    room -= planned.bytes();
                }
            }
            place = page.get(page.size() - 1);
        }
        return taken;
    }

    private List<Place> page(Place behind, int limit) throws SQLException {
        try (Call call = session.call(WorkStatement.DUE_PAGE)) {
            call.consumer(consumer)
                    .flag("by_lease", byLease)
                    .number("work_partition", workPartition)
                    .instant("now", now);
            return Place.page(call, behind, limit);
        }
    }

    private List<WorkItem> inOrder(int limit, long bytes) throws SQLException {
        List<OrderingKey> due = keysOfDue(limit);
        List<Planned> runs = runs(new LinkedHashSet<>(due), limit);
        Taken taken = take(plan(runs, page(Place.FIRST, limit), limit, bytes));
        boolean mayHideOthers = taken.isCut || (runs.isEmpty() && due.size() >= limit);
        if (taken.isOfKeys || !mayHideOthers) {
            return taken.items;
        }
        Taken further = take(plan(runs(keysOfHeads(limit), limit), lockedWithoutOrder(limit), limit, bytes));
        return further.items.isEmpty() ? taken.items : further.items;
    }

    /** Locks what is planned, as far as nobody else has: behind what somebody has, nothing of its key is taken. */
    private Taken take(List<Planned> plan) throws SQLException {
        if (plan.isEmpty()) {
            return new Taken(List.of(), false, false);
        }
        Map<Long, WorkItem> locked = lock(plan.stream().map(Planned::id).toList());
        List<WorkItem> taken = new ArrayList<>();
        Set<OrderingKey> cut = new HashSet<>();
        boolean ofKeys = false;
        for (Planned planned : plan) {
            WorkItem item = locked.get(planned.id());
            OrderingKey key = planned.key();
            if (item != null && (key == null || !cut.contains(key))) {
                taken.add(item);
                ofKeys |= key != null;
            } else if (key != null) {
                cut.add(key);
            }
        }
        return new Taken(taken, ofKeys, taken.size() < plan.size());
    }

    private List<OrderingKey> keysOfDue(int limit) throws SQLException {
        try (Call call = session.call(WorkStatement.KEYS_OF_DUE)) {
            return call.consumer(consumer)
                    .flag("by_lease", byLease)
                    .number("work_partition", workPartition)
                    .instant("now", now)
                    .number("limit", limit)
                    .all(row -> OrderingKey.of(row.getBytes(1)));
        }
    }

    /** Of the first heads that are due and that nobody else has locked. */
    private Set<OrderingKey> keysOfHeads(int limit) throws SQLException {
        Set<OrderingKey> keys = new LinkedHashSet<>();
        for (DueLocks.Locked head : locks.first(limit, DueLocks.PAGE, this::heads)) {
            if (head.key() != null) {
                keys.add(head.key());
            }
        }
        return keys;
    }

    private List<Place> heads(Place behind, int limit) throws SQLException {
        try (Call call = session.call(WorkStatement.DUE_HEADS)) {
            call.consumer(consumer)
                    .number("work_partition", workPartition)
                    .flag("by_lease", byLease)
                    .instant("now", now);
            return Place.page(call, behind, limit);
        }
    }

    /** The first without an order that are due and that nobody else has locked. */
    private List<Place> lockedWithoutOrder(int limit) throws SQLException {
        return locks.first(limit, Math.max(limit, FEW), this::page).stream()
                .map(DueLocks.Locked::place)
                .toList();
    }

    /** Of each key the messages from its head on as far as they are ready. */
    private List<Planned> runs(Set<OrderingKey> keys, int limit) throws SQLException {
        List<Planned> runs = new ArrayList<>();
        List<OrderingKey> all = List.copyOf(keys);
        int ofKey = byLease ? 1 : Math.min(limit, Math.max(OF_KEY, limit / Math.max(1, all.size())));
        for (int from = 0; from < all.size(); from += KEYS) {
            List<OrderingKey> some = all.subList(from, Math.min(all.size(), from + KEYS));
            runs.addAll(runs(some, ofKey));
        }
        return runs;
    }

    /** These and those without an order, by arrival. */
    private static List<Planned> plan(List<Planned> runs, List<Place> withoutOrder, int limit, long bytes) {
        List<Planned> plan = new ArrayList<>(runs);
        for (Place free : withoutOrder) {
            plan.add(new Planned(free.id(), null, free.bytes()));
        }
        plan.sort(Comparator.comparingLong(Planned::id));
        return within(bytes, plan.size() > limit ? plan.subList(0, limit) : plan);
    }

    /** Those from the first on that have so many bytes together, but at least the first. */
    private static List<Planned> within(long bytes, List<Planned> plan) {
        long left = bytes;
        for (int i = 0; i < plan.size(); i++) {
            left -= plan.get(i).bytes();
            if (left < 0) {
                return plan.subList(0, Math.max(1, i));
            }
        }
        return plan;
    }

    /** A dead letter that blocks its key ends the run of the key, as a message does that is not ready. */
    private List<Planned> runs(List<OrderingKey> keys, int ofKey) throws SQLException {
        try (Call call = session.call(WorkStatement.FIRST_OF_KEYS, keys.size())) {
            return ready(call.consumer(consumer)
                    .number("work_partition", workPartition)
                    .bytes("hashes", keys.stream().map(MessageColumns::hash).toList())
                    .number("limit", ofKey)
                    .all(this::candidate));
        }
    }

    private Candidate candidate(ResultSet row) throws SQLException {
        boolean ready = row.getBoolean(3)
                && row.getBoolean(4) == byLease
                && !PlainColumns.instant(row, 5).isAfter(now);
        return new Candidate(row.getLong(1), OrderingKey.of(row.getBytes(2)), ready, row.getLong(6));
    }

    private static List<Planned> ready(List<Candidate> candidates) {
        candidates.sort(Comparator.comparingLong(Candidate::id));
        Set<OrderingKey> ended = new HashSet<>();
        List<Planned> run = new ArrayList<>();
        for (Candidate candidate : candidates) {
            OrderingKey key = candidate.key();
            if (candidate.ready() && !ended.contains(key)) {
                run.add(new Planned(candidate.id(), key, candidate.bytes()));
            } else {
                ended.add(key);
            }
        }
        return run;
    }

    private Map<Long, WorkItem> lock(List<Long> ids) throws SQLException {
        try (Call call = session.call(WorkStatement.TAKE, ids.size())) {
            call.numbers("ids", ids.stream().sorted().toList())
                    .flag("by_lease", byLease)
                    .instant("now", now);
            return items(call, session.now());
        }
    }

    static List<WorkItem> retake(PlainSession session, RegisteredConsumer consumer, List<Long> ids)
            throws SQLException {
        try (Call call = session.call(WorkStatement.RETAKE, ids.size())) {
            call.numbers("ids", ids.stream().sorted().toList()).consumer(consumer);
            return items(call, session.now()).values().stream()
                    .sorted(Comparator.comparingLong(WorkItem::id))
                    .toList();
        }
    }

    private static Map<Long, WorkItem> items(Call call, Instant now) throws SQLException {
        Map<Long, WorkItem> items = new HashMap<>();
        call.all(row -> PlainColumns.item(row, now)).forEach(item -> items.put(item.id(), item));
        return items;
    }

    /** What was taken, whether any of it has an order, and whether somebody else has some of what was planned. */
    private record Taken(List<WorkItem> items, boolean isOfKeys, boolean isCut) {}

    /** A message to be locked, and its ordering key where it has an order. */
    private record Planned(long id, @Nullable OrderingKey key, long bytes) {}

    /** A message of a key, or a dead letter that blocks it, and whether it may be worked on now. */
    private record Candidate(long id, OrderingKey key, boolean ready, long bytes) {}

    /** Where a page ends, and the next begins; with the bytes of the message that is there. */
    record Place(Instant at, long id, long bytes) {
        static final Place FIRST = new Place(Instant.EPOCH, Long.MIN_VALUE, 0);

        /** Those from the first on that have so many bytes together, but at least the first where that is asked for. */
        static List<Place> within(long bytes, List<Place> page, boolean atLeastOne) {
            long left = bytes;
            for (int i = 0; i < page.size(); i++) {
                left -= page.get(i).bytes;
                if (left < 0) {
                    return page.subList(0, atLeastOne ? Math.max(1, i) : i);
                }
            }
            return page;
        }

        /** Binds where to begin and how many, and reads ids with their times and bytes. */
        static List<Place> page(Call call, Place behind, int limit) throws SQLException {
            return call.instant("after_at", behind.at)
                    .number("after_id", behind.id)
                    .number("limit", limit)
                    .all(row -> new Place(PlainColumns.instant(row, 2), row.getLong(1), row.getLong(3)));
        }
    }
}
