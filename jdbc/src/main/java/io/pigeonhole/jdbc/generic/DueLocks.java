package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.jdbc.sql.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Locks the first of what is due and passes what others have locked. Each statement tries twice as many rows as the one
 * before, so that few statements pass very many; what the last of them locks beyond the limit is locked in vain.
 */
final class DueLocks {
    /** So many places are read at once at most: a page may walk all heads of the work partition. */
    static final int PAGE = 10_000;

    /** So many places are read at most. */
    private static final int PLACES = 100_000;

    /** How much larger a page is than the one before. */
    private static final int GROWTH = 4;

    /** So many rows are locked in one statement. */
    private static final int ROWS = 500;

    private final PlainSession session;
    private final boolean byLease;
    private final Instant now;

    DueLocks(PlainSession session, boolean byLease, Instant now) {
        this.session = session;
        this.byLease = byLease;
        this.now = now;
    }

    /** In the order of the pages, of which the first has so many places, and the next ones more and more. */
    List<Locked> first(int limit, int places, Pages pages) throws SQLException {
        List<Locked> locked = new ArrayList<>();
        PlainDueWork.Place behind = PlainDueWork.Place.FIRST;
        int rows = Math.min(limit, ROWS);
        int size = Math.min(places, PAGE);
        for (int read = 0; read < PLACES; read += size, size = Math.min(PAGE, GROWTH * size)) {
            List<PlainDueWork.Place> page = pages.behind(behind, size);
            for (int from = 0; from < page.size(); ) {
                int to = Math.min(page.size(), from + rows);
                locked.addAll(lock(page.subList(from, to)));
                if (locked.size() >= limit) {
                    return locked.subList(0, limit);
                }
                from = to;
                rows = Math.min(ROWS, 2 * rows);
            }
            if (page.size() < size) {
                return locked;
            }
            behind = page.get(page.size() - 1);
        }
        return locked;
    }

    private List<Locked> lock(List<PlainDueWork.Place> places) throws SQLException {
        Set<Long> locked = new HashSet<>();
        Map<Long, OrderingKey> keys = new HashMap<>();
        List<Long> ids = places.stream().map(PlainDueWork.Place::id).sorted().toList();
        try (Call call = session.call(WorkStatement.LOCK_DUE, ids.size())) {
            call.numbers("ids", ids)
                    .flag("by_lease", byLease)
                    .instant("now", now)
                    .read(rows -> {
                        while (rows.next()) {
                            locked.add(rows.getLong(1));
                            byte[] key = rows.getBytes(2);
                            if (key != null) {
                                keys.put(rows.getLong(1), OrderingKey.of(key));
                            }
                        }
                        return locked;
                    });
        }
        return places.stream()
                .filter(place -> locked.contains(place.id()))
                .map(place -> new Locked(place, keys.get(place.id())))
                .toList();
    }

    /** Reads a page of places behind one. */
    interface Pages {
        List<PlainDueWork.Place> behind(PlainDueWork.Place behind, int limit) throws SQLException;
    }

    /** A message that is locked, with its ordering key where it has one. */
    record Locked(PlainDueWork.Place place, @Nullable OrderingKey key) {}
}
