package io.pigeonhole.crash;

import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import javax.sql.DataSource;

/** Tells one story with all that follows it, and is halted in the middle of it. */
final class WorkingProcess {
    private WorkingProcess() {}

    /** Arguments: JDBC URL, story, run, crash point, passage. */
    public static void main(String[] arguments) {
        DataSource dataSource = Database.dataSource(arguments[0]);
        WorkStory story = WorkStory.valueOf(arguments[1]);
        CrashPlan plan = CrashPlan.haltAt(CrashPoint.valueOf(arguments[3]), Integer.parseInt(arguments[4]));
        tell(story, dataSource, arguments[2], plan);
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
