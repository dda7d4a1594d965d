package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Variant;

/**
 * A sink and the way it is fed.
 *
 * @param name the variant's name
 * @param batchSize how many deliveries it is handed at once
 * @param workload the deliveries
 * @param expected what the books must say afterwards
 * @param sink the variant itself
 * @param ground what it stands on
 */
record FloorVariant(
        String name, int batchSize, Workload workload, Bank.Expected expected, MessageSink sink, Ground ground)
        implements Variant {

    /** One without an inbox: each delivery takes effect, the duplicates too. */
    static FloorVariant atLeastOnce(String name, int batchSize, Workload workload, MessageSink sink, Ground ground) {
        return new FloorVariant(name, batchSize, workload, Bank.Expected.everyDelivery(workload), sink, ground);
    }

    /** One with an inbox: each message takes effect once. */
    static FloorVariant exactlyOnce(String name, int batchSize, Workload workload, MessageSink sink, Ground ground) {
        return new FloorVariant(name, batchSize, workload, Bank.Expected.everyMessageOnce(workload), sink, ground);
    }

    /** The database before and after a measurement. */
    interface Ground {
        void prepare() throws Exception;

        void check(FloorVariant variant) throws Exception;

        CpuTime cpuTime() throws Exception;
    }

    @Override
    public Measurement measure() throws Exception {
        ground.prepare();
        CpuTime before = ground.cpuTime();
        long nanos = new Lanes(workload, batchSize).drainInto(sink);
        CpuTime spent = ground.cpuTime().since(before);
        ground.check(this);
        return new Measurement(workload.deliveries(), expected.effects(), nanos, spent);
    }
}
