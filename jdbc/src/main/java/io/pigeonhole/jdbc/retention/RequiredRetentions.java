package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.store.RetentionClock;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long the programs of a schema require something to be remembered. Each program confirms what it requires when it
 * registers a consumer and when it maintains the store; the longest holds for all. A requirement that nobody confirmed for as
 * long as it is ends: so the window is made shorter by changing all programs.
 */
final class RequiredRetentions {
    /** A requirement is confirmed again after so long. */
    private static final Duration RENEWAL = Duration.ofHours(1);

    private RequiredRetentions() {}

    /** How long a program requires something to be remembered. */
    private record Requirement(String what, long millis) {}

    /** When a requirement was confirmed last. */
    private record Confirmed(Requirement requirement, Instant at) {
        /** By the retention clock, which does not jump. */
        boolean isOver(RetentionClock clock) {
            return at.plusMillis(requirement.millis()).isBefore(clock.trusted());
        }
    }

    /** Confirms what a program requires; answers the longest of all programs. */
    static RetentionLimits confirm(AdminSession session, RetentionClock clock, RetentionLimits own)
            throws SQLException {
        Instant now = session.now();
        Map<Requirement, Instant> known = new HashMap<>();
        Map<String, Long> longest = new HashMap<>();
        Map<String, Duration> wanted = own.byName();
        for (Confirmed each : read(session)) {
            Requirement requirement = each.requirement();
            Duration mine = wanted.get(requirement.what());
            if ((mine == null || mine.toMillis() != requirement.millis()) && each.isOver(clock)) {
                change(session, RetentionRuleStatement.DROP_REQUIRED, each.at(), requirement);
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
                change(session, RetentionRuleStatement.ADD_REQUIRED, now, requirement);
            } else if (confirmed.isAfter(now) || confirmed.plus(RENEWAL).isBefore(now)) {
                change(session, RetentionRuleStatement.CONFIRM_REQUIRED, now, requirement);
            }
        }
        return RetentionLimits.of(longest);
    }

    private static List<Confirmed> read(AdminSession session) throws SQLException {
        try (Call call = session.call(RetentionRuleStatement.REQUIRED)) {
            return call.all(row -> new Confirmed(
                    new Requirement(row.getString(1), row.getLong(2)),
                    session.rows().instant(row, 3)));
        }
    }

    private static void change(
            AdminSession session, RetentionRuleStatement statement, Instant at, Requirement requirement)
            throws SQLException {
        try (Call call = session.call(statement)) {
            call.instant("at", at)
                    .text("what", requirement.what())
                    .number("millis", requirement.millis())
                    .change();
        }
    }
}
