package io.pigeonhole.peers.outbox;

import io.pigeonhole.benchmarks.floor.MessageSink;
import io.pigeonhole.benchmarks.floor.Partitions;
import io.pigeonhole.benchmarks.floor.Workload;
import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Variant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a business transaction costs, with and without an event that nobody publishes here.
 *
 * @param name the variant's name
 * @param workload what is done, by a thread for each of its partitions
 * @param sink how
 * @param batchSize how much of it in one transaction
 * @param tables what is emptied before
 * @param appended how many events it has to leave
 */
record Business(
        String name,
        Workload workload,
        MessageSink sink,
        int batchSize,
        List<String> tables,
        long appended,
        Ground ground)
        implements Variant {
    @Override
    public Measurement measure() throws Exception {
        ground.reset(tables);
        CpuTime before = ground.cpuTime();
        long nanos = new Partitions(workload, batchSize, workload.partitions().size()).drainInto(sink);
        CpuTime spent = ground.cpuTime().since(before);
        return new Measurement(workload.deliveries(), workload.deliveries(), nanos, spent, violation());
    }

    private @Nullable String violation() throws Exception {
        long balance = ground.ask("SELECT sum(balance) FROM account");
        if (balance != workload.sumOverDeliveries() && balance != workload.deliveries()) {
            return name + " left a balance of " + balance;
        }
        long found = ground.ask("SELECT count(*) FROM outbox_message");
        return found == appended ? null : name + " left " + found + " events, and not " + appended;
    }
}
