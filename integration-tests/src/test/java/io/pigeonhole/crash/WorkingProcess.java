package io.pigeonhole.crash;

import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashingStore;
import javax.sql.DataSource;

/** Tells stories with all that follows them, side by side, and is halted in the middle of them. */
final class WorkingProcess {
    private WorkingProcess() {}

    /** Arguments: JDBC URL, and what {@link GroupHalt} needs for each run. */
    public static void main(String[] arguments) {
        DataSource dataSource = Database.dataSource(arguments[0]);
        GroupHalt.runAll(arguments, 1, (story, run, plan) -> tell(WorkStory.valueOf(story), dataSource, run, plan));
    }

    static void tell(WorkStory story, DataSource dataSource, String run, CrashPlan plan) {
        story.tell(
                new CrashingStore<>(JdbcStore.create(dataSource), plan),
                run,
                plan,
                (payload, context) -> Database.write(context, run),
                (message, key) -> Database.call(dataSource, run, WorkStory.id(message), key));
    }
}
