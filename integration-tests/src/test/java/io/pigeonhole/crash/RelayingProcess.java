package io.pigeonhole.crash;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashingStore;
import javax.sql.DataSource;

/** Publishes the messages of several outboxes side by side, and is halted in the middle of them. */
final class RelayingProcess {
    private RelayingProcess() {}

    /** Arguments: JDBC URL, and what {@link GroupHalt} needs for each run. */
    public static void main(String[] arguments) {
        DataSource dataSource = Database.dataSource(arguments[0]);
        GroupHalt.runAll(arguments, 1, (story, run, plan) -> publish(dataSource, run, plan));
    }

    static void publish(DataSource dataSource, String run, CrashPlan plan) {
        RelayStory.publish(new CrashingStore<>(JdbcStore.create(dataSource), plan), run, plan, new RelayStory.Broker() {
            @Override
            public void keep(Message message) {
                Database.call(dataSource, run, RelayStory.payload(message), WorkStory.id(message));
            }

            @Override
            public boolean hasRefused(Message message) {
                boolean refused = Database.effects(dataSource, run).contains(WorkStory.id(message));
                Database.effect(dataSource, run, WorkStory.id(message));
                return refused;
            }
        });
    }
}
