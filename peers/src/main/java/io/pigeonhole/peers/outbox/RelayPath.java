package io.pigeonhole.peers.outbox;

import java.util.List;

/** A way of bringing events from transactions to a topic: a library in its simplest correct use on PostgreSQL. */
interface RelayPath {
    /** How it is used, and with which settings other than the defaults. */
    String configuration();

    /** Creates its tables as its documentation or its own code says. */
    void createTables() throws Exception;

    /** What is emptied before each measurement. */
    List<String> tables();

    /** How many events are to be sent still. */
    String left();

    /** Whether it promises that events of one key are published in order. */
    boolean isOrdered();

    /** Starts what publishes. */
    Running start(String topic, Flights flights) throws Exception;

    /** While it runs; used by many threads. */
    interface Running extends AutoCloseable {
        /**
         * One transaction: changes the balance of an account, appends events and commits.
         *
         * @param beforeCommit is called immediately before the commit
         */
        void commit(List<Event> events, Runnable beforeCommit) throws Exception;

        /** Stops what publishes. */
        @Override
        void close();
    }
}
