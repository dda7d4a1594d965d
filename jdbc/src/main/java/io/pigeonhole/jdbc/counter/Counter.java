package io.pigeonhole.jdbc.counter;

import java.util.List;

/** What gives numbers to rows, and where these numbers are. */
public enum Counter {
    /** The order of arrival: a message keeps its number when it moves between work and dead letters. */
    ARRIVAL("inbox_work", Long.MAX_VALUE, "inbox_work, inbox_dead_letter", LargestNumberStatement.ARRIVAL),
    ATTEMPT("inbox_attempt", Long.MAX_VALUE, "inbox_attempt", LargestNumberStatement.ATTEMPT),
    AUDIT("inbox_audit", Long.MAX_VALUE, "inbox_audit", LargestNumberStatement.AUDIT),
    /** The order in which messages to send were appended. */
    OUTBOX("outbox_message", Long.MAX_VALUE, "outbox_message", LargestNumberStatement.OUTBOX),
    HISTORY("inbox_history", Long.MAX_VALUE, "inbox_history, inbox_replay", LargestNumberStatement.HISTORY),
    CONSUMER(
            "inbox_consumer",
            Short.MAX_VALUE,
            "inbox_consumer and the columns consumer_id of other tables",
            LargestNumberStatement.CONSUMER);

    private final String table;
    private final long last;
    private final String holders;
    private final LargestNumberStatement largest;

    Counter(String table, long last, String holders, LargestNumberStatement largest) {
        this.table = table;
        this.last = last;
        this.holders = holders;
        this.largest = largest;
    }

    /** Whose rows get the numbers. */
    public String table() {
        return table;
    }

    /** The column of that table that they are in. */
    public String column() {
        return this == OUTBOX ? "position" : "id";
    }

    /** All tables whose rows get their numbers from it. */
    public List<String> numbered() {
        return this == ARRIVAL ? List.of(table, "inbox_dead_letter") : List.of(table);
    }

    /** The tables in which the numbers are, for people. */
    String holders() {
        return holders;
    }

    /** What asks for the largest number. */
    LargestNumberStatement largest() {
        return largest;
    }

    /** Whether there is a number behind another one. */
    boolean hasNumberBehind(long number) {
        return number < last;
    }
}
