package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Variant;

/**
 * A way to work the workload off.
 *
 * @param name the variant's name
 * @param workload the deliveries
 * @param expected what the books must say afterwards
 * @param course how the deliveries go through it
 * @param hasInbox whether Pigeonhole's ledger must hold every message afterwards
 * @param ground what it stands on
 */
record FloorVariant(
        String name, Workload workload, Bank.Expected expected, Course course, boolean hasInbox, Ground ground)
        implements Variant {

    /** One without an inbox, or with one that recognises places and not ids: each delivery takes effect, the duplicates too. */
    static FloorVariant atLeastOnce(String name, Workload workload, Course course, Ground ground) {
        return new FloorVariant(name, workload, Bank.Expected.everyDelivery(workload), course, false, ground);
    }

    /** One with an inbox of some kind: each message takes effect once. */
    static FloorVariant exactlyOnce(String name, Workload workload, Course course, Ground ground) {
        return new FloorVariant(name, workload, Bank.Expected.everyMessageOnce(workload), course, false, ground);
    }

    /** One with Pigeonhole. */
    static FloorVariant pigeonhole(String name, Workload workload, Course course, Ground ground) {
        return new FloorVariant(name, workload, Bank.Expected.everyMessageOnce(workload), course, true, ground);
    }

    /** How deliveries go through a variant. */
    @FunctionalInterface
    interface Course {
        /** Works all of them off; answers how many nanoseconds passed from the first delivery to the last effect. */
        long run(Workload workload) throws Exception;

        /** Straight into a sink, with a thread for each partition. */
        static Course into(MessageSink sink, int batchSize) {
            return workload ->
                    new Partitions(workload, batchSize, workload.partitions().size()).drainInto(sink);
        }
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
        long nanos = course.run(workload);
        CpuTime spent = ground.cpuTime().since(before);
        ground.check(this);
        return new Measurement(workload.deliveries(), expected.effects(), nanos, spent);
    }
}
