package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Variant;

/**
 * A way to consume a topic from its beginning to its end.
 *
 * @param name the variant's name
 * @param consumer what consumes
 * @param workload what is in the topic
 * @param bank where it takes effect
 * @param server where the bank is
 */
record KafkaVariant(String name, Consumer consumer, Workload workload, Bank bank, DatabaseServer server)
        implements Variant {

    /** Consumes the whole topic. */
    @FunctionalInterface
    interface Consumer {
        /**
         * Notifies the tally of the first message and of each that is committed, and returns when the tally is full.
         *
         * @param group a name that nobody has used before
         */
        void consume(String group, Tally tally) throws Exception;
    }

    @Override
    public Measurement measure() throws Exception {
        bank.reset();
        CpuTime before = server.cpuTime();
        Tally tally = new Tally(workload.deliveries());
        consumer.consume(name + "-" + System.nanoTime(), tally);
        long nanos = tally.await();
        CpuTime spent = server.cpuTime().since(before);
        bank.audit(name, Bank.Expected.everyMessageOnce(workload));
        return new Measurement(workload.deliveries(), workload.unique(), nanos, spent);
    }
}
