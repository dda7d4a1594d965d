package io.pigeonhole.crash;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import javax.sql.DataSource;

/** Tells one story and is halted in the middle of it. */
final class DyingProcess {
    private DyingProcess() {}

    /**
     * Arguments: JDBC URL, story, run, crash point, passage, file of acknowledged ids; and {@code early}, to acknowledge
     * before anything is done.
     */
    public static void main(String[] arguments) {
        DataSource dataSource = Database.dataSource(arguments[0]);
        Story story = Story.valueOf(arguments[1]);
        String run = arguments[2];
        CrashPoint point = CrashPoint.valueOf(arguments[3]);
        int passage = Integer.parseInt(arguments[4]);
        Path acknowledged = Path.of(arguments[5]);
        if (arguments.length > 6) {
            acknowledge(acknowledged, story.ids(run));
        }
        // begin
        CrashPlan plan = CrashPlan.haltAt(point, passage);
        Inbox<JdbcContext> inbox = Story.inbox(
                new CrashingStore<>(JdbcStore.create(dataSource), plan),
                run,
                plan.handler((payload, context) -> Database.write(context, run)));
        List<String> settled = Story.deliver(inbox, story.messages(run));
        plan.acknowledge(() -> acknowledge(acknowledged, settled));
        // end
    }

    private static void acknowledge(Path file, List<String> ids) {
        try {
            Files.write(file, ids, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
