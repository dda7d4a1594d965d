package io.pigeonhole.peers;

import io.pigeonhole.benchmarks.floor.MessageSink;
import java.util.List;

/** A library that recognises duplicates, in its simplest correct use on PostgreSQL. */
interface Peer extends MessageSink {
    /** Which class it is, how it is used, and its tables with their indexes. */
    String configuration();

    /** Creates its tables as its documentation or its own code says. */
    void createTables() throws Exception;

    /** What is emptied before each measurement. */
    List<String> tables();
}
