package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.store.RetentionClock;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long the programs of a schema require something to be remembered. Each program confirms what it requires when it
 * registers a consumer and when it maintains the store; the longest holds for all. A requirement that nobody confirmed for as
 * long as it is, at least for two days, ends: so the window is made shorter by changing all programs.
 */
final class RequiredRetentions {
    /** A requirement is confirmed again after so long: less than the least that a node waits between two looks, by default. */
    private static final Duration RENEWAL = Duration.ofMinutes(30);

    /** A program looks once a day at least, so that what it requires has been confirmed within so long. */
    private static final Duration SHORTEST = Duration.ofDays(2);

    private RequiredRetentions() {}

    /** How long a program requires something to be remembered. */
    record Requirement(String what, long millis) {}

    /** When a requirement was confirmed last. */
    private record Confirmed(Requirement requirement, Instant at) {
        /** By the retention clock, which does not jump. */
        boolean isOver(RetentionClock clock) {
            return at.plusMillis(Math.max(requirement.millis(), SHORTEST.toMillis()))
                    .isBefore(clock.trusted());
        }
    }

    /**
     * What the programs of a schema require.
     *
     * @param longest of all programs, with what the one that asks requires
     * @param changes what that one has to write down: what it requires, and what nobody requires any more
     */
    record Required(RetentionLimits longest, List<Change> changes) {}

    /** A row to be changed, in a transaction of its own: a row that somebody else holds keeps no other from being confirmed. */
    record Change(RetentionRuleStatement statement, Instant at, Requirement requirement) {
        int run(AdminSession session) throws SQLException {
            int changed = run(session, statement);
            // Another program may have dropped it since it was read: who confirms it counts on it.
            return changed == 0 && statement == RetentionRuleStatement.CONFIRM_REQUIRED
                    ? run(session, RetentionRuleStatement.ADD_REQUIRED)
                    : changed;
        }

        /** Many programs that begin at once add the same row. */
        private int run(AdminSession session, RetentionRuleStatement what) throws SQLException {
            try (Call call = session.call(what)) {
                Call bound =
                        call.instant("at", at).text("what", requirement.what()).number("millis", requirement.millis());
                if (what != RetentionRuleStatement.ADD_REQUIRED) {
                    return bound.change();
                }
                session.operations().insertUnlessThere(bound);
                return 1;
            }
        }

        /** What is required after it; a row that could not be dropped may have been confirmed meanwhile. */
        RetentionLimits after(RetentionLimits longest, int changed) {
            return statement == RetentionRuleStatement.DROP_REQUIRED && changed == 0
                    ? longest.atLeast(requirement.what(), requirement.millis())
                    : longest;
        }
    }

    /** What is required, and what a program has to write down, which it does before it counts on the rest. */
    static Required read(AdminSession session, RetentionClock clock, RetentionLimits own) throws SQLException {
        Instant now = session.now();
        List<Change> changes = new ArrayList<>();
        Map<Requirement, Instant> known = new HashMap<>();
        Map<String, Long> longest = new HashMap<>();
        Map<String, Duration> wanted = own.byName();
        for (Confirmed each : read(session)) {
            Requirement requirement = each.requirement();
            Duration mine = wanted.get(requirement.what());
            if ((mine == null || mine.toMillis() != requirement.millis()) && each.isOver(clock)) {
                changes.add(new Change(RetentionRuleStatement.DROP_REQUIRED, each.at(), requirement));
            } else {
                known.put(requirement, each.at());
                longest.merge(requirement.what(), requirement.millis(), Math::max);
            }
        }
        for (Map.Entry<String, Duration> mine : wanted.entrySet()) {
            Requirement requirement =
                    new Requirement(mine.getKey(), mine.getValue().toMillis());
            longest.merge(requirement.what(), requirement.millis(), Math::max);
            Instant confirmed = known.get(requirement);
            if (confirmed == null) {
                changes.add(new Change(RetentionRuleStatement.ADD_REQUIRED, now, requirement));
            } else if (confirmed.isAfter(now) || confirmed.plus(RENEWAL).isBefore(now)) {
                changes.add(new Change(RetentionRuleStatement.CONFIRM_REQUIRED, now, requirement));
            }
        }
        return new Required(RetentionLimits.of(longest), changes);
    }

    private static List<Confirmed> read(AdminSession session) throws SQLException {
        try (Call call = session.call(RetentionRuleStatement.REQUIRED)) {
            return call.all(row -> new Confirmed(
                    new Requirement(row.getString(1), row.getLong(2)),
                    session.rows().instant(row, 3)));
        }
    }
}
