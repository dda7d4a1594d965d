package io.pigeonhole.crash;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;

/** Reads a log and is halted in the middle of it. */
final class DyingLogReader {
    private DyingLogReader() {}

    /** Arguments: JDBC URL, deduplication, story, run, crash point, passage. */
    public static void main(String[] arguments) {
        String run = arguments[3];
        CrashPlan plan = CrashPlan.haltAt(CrashPoint.valueOf(arguments[4]), Integer.parseInt(arguments[5]));
        Inbox<JdbcContext> inbox = LogDeath.inbox(
                Deduplication.valueOf(arguments[1]),
                new CrashingStore<>(JdbcStore.create(Database.dataSource(arguments[0])), plan),
                run,
                plan.handler((payload, context) -> Database.write(context, run)));
        LogDeath.read(inbox, Story.valueOf(arguments[2]), run);
    }
}
