package io.pigeonhole.core.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Says where there is something to do, cheaply and without locks. */
public interface Backlog {
    /** What is to be done. */
    enum Kind {
        /** Messages to take. */
        ORDINARY,
        /** Messages to lease. */
        BY_LEASE,
        /** Leases that run out. */
        EXPIRING;

        /**
         * How a message is worked on.
         *
         * @param byLease whether it may only be worked on under a lease
         * @return {@link #BY_LEASE} or {@link #ORDINARY}
         */
        public static Kind of(boolean byLease) {
            return byLease ? BY_LEASE : ORDINARY;
        }
    }

    /**
     * Something to do.
     *
     * @param consumer whose messages
     * @param kind what
     * @param workPartition in which work partition; -1 for {@link Kind#EXPIRING}, which are not asked for by work partition
     * @param in how long from now, by the database's clock; zero where it is due. With an order, a message that is due may
     *     still be blocked
     */
    record Due(RegisteredConsumer consumer, Kind kind, int workPartition, Duration in) {
        /**
         * All that a consumer may have to do, as if it were due: for where the database refuses to say what is.
         *
         * @param consumer whose messages
         * @return each kind in each work partition, and leases that run out
         */
        public static List<Due> allOf(RegisteredConsumer consumer) {
            List<Due> all = new ArrayList<>();
            all.add(new Due(consumer, Kind.EXPIRING, -1, Duration.ZERO));
            for (int workPartition = 0; workPartition < consumer.workPartitions(); workPartition++) {
                all.add(new Due(consumer, Kind.ORDINARY, workPartition, Duration.ZERO));
                all.add(new Due(consumer, Kind.BY_LEASE, workPartition, Duration.ZERO));
            }
            return all;
        }
    }

    /**
     * Asks where something is or will be due. Consumers that are paused have nothing to take or to lease.
     *
     * @param consumers whose messages
     * @return for each consumer, kind and work partition with unfinished messages the one that is due first
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    List<Due> due(Collection<RegisteredConsumer> consumers);
}
