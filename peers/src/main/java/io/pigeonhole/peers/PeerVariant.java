package io.pigeonhole.peers;

import io.pigeonhole.benchmarks.floor.Bank;
import io.pigeonhole.benchmarks.floor.MessageSink;
import io.pigeonhole.benchmarks.floor.Partitions;
import io.pigeonhole.benchmarks.floor.Workload;
import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Variant;

/**
 * A way to work the workload off. One that leaves wrong effects is measured all the same, with its violation.
 *
 * @param name the variant's name
 * @param workload the deliveries
 * @param expected what the books must say afterwards
 * @param sink what takes them
 * @param batchSize how many it is given at a time
 * @param database what it works on
 */
record PeerVariant(
        String name, Workload workload, Bank.Expected expected, MessageSink sink, int batchSize, PeersDatabase database)
        implements Variant {

    /** One without an inbox: each delivery takes effect, duplicates too. */
    static PeerVariant atLeastOnce(
            String name, Workload workload, MessageSink sink, int batchSize, PeersDatabase database) {
        return new PeerVariant(name, workload, Bank.Expected.everyDelivery(workload), sink, batchSize, database);
    }

    /** One that is to recognise duplicates: each message takes effect once. */
    static PeerVariant exactlyOnce(
            String name, Workload workload, MessageSink sink, int batchSize, PeersDatabase database) {
        return new PeerVariant(name, workload, Bank.Expected.everyMessageOnce(workload), sink, batchSize, database);
    }

    /** Whether Pigeonhole's ledger must hold every message afterwards. */
    boolean isPigeonhole() {
        return name.startsWith("pigeonhole-");
    }

    @Override
    public Measurement measure() throws Exception {
        database.reset();
        CpuTime before = database.cpuTime();
        long nanos = new Partitions(workload, batchSize, workload.partitions().size()).drainInto(sink);
        CpuTime spent = database.cpuTime().since(before);
        return new Measurement(workload.deliveries(), expected.effects(), nanos, spent, database.violation(this));
    }
}
