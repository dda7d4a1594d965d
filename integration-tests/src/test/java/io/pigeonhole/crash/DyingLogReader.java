package io.pigeonhole.crash;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashingStore;
import javax.sql.DataSource;

/** Reads logs side by side and is halted in the middle of them. */
final class DyingLogReader {
    private DyingLogReader() {}

    /** Arguments: JDBC URL, deduplication, and what {@link GroupHalt} needs for each run. */
    public static void main(String[] arguments) {
        Deduplication by = Deduplication.valueOf(arguments[1]);
        DataSource dataSource = Database.dataSource(arguments[0]);
        GroupHalt.runAll(arguments, 2, (story, run, plan) -> {
            Inbox<JdbcContext> inbox = LogDeath.inbox(
                    by,
                    new CrashingStore<>(JdbcStore.create(dataSource), plan),
                    run,
                    plan.handler((payload, context) -> Database.write(context, run)));
            LogDeath.read(inbox, Story.valueOf(story), run);
        });
    }
}
