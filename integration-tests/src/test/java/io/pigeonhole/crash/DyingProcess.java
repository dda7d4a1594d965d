package io.pigeonhole.crash;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashingStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import javax.sql.DataSource;

/** Tells stories side by side and is halted in the middle of them. */
final class DyingProcess {
    private DyingProcess() {}

    /**
     * Arguments: JDBC URL, directory of the files of acknowledged ids, {@code early} to acknowledge before anything is done,
     * and what {@link GroupHalt} needs for each run.
     */
    public static void main(String[] arguments) {
        DataSource dataSource = Database.dataSource(arguments[0]);
        Path directory = Path.of(arguments[1]);
        boolean early = arguments[2].equals("early");
        GroupHalt.runAll(arguments, 3, (name, run, plan) -> {
            Story story = Story.valueOf(name);
            Path acknowledged = InlineDeath.acknowledged(directory, run);
            if (early) {
                acknowledge(acknowledged, story.ids(run));
            }
            tell(dataSource, story, run, plan, acknowledged);
        });
    }

    private static void tell(DataSource dataSource, Story story, String run, CrashPlan plan, Path acknowledged) {
        // begin
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
