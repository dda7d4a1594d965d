package io.pigeonhole.jdbc;

import java.util.List;

/** What gives numbers to rows, and where these numbers are. */
enum Counter {
    /** The order of arrival: a message keeps its number when it moves between work and dead letters. */
    ARRIVAL("inbox_work", Long.MAX_VALUE, "inbox_work, inbox_dead_letter"),
    ATTEMPT("inbox_attempt", Long.MAX_VALUE, "inbox_attempt"),
    AUDIT("inbox_audit", Long.MAX_VALUE, "inbox_audit"),
    HISTORY("inbox_history", Long.MAX_VALUE, "inbox_history, inbox_replay"),
    CONSUMER("inbox_consumer", Short.MAX_VALUE, "inbox_consumer and the columns consumer_id of other tables");

    private final String table;
    private final long last;
    private final String holders;

    Counter(String table, long last, String holders) {
        this.table = table;
        this.last = last;
        this.holders = holders;
    }

    /** Whose rows get the numbers, in their column {@code id}. */
    String table() {
        return table;
    }

    /** All tables whose rows get their ids from it. */
    List<String> numbered() {
        return this == ARRIVAL ? List.of(table, "inbox_dead_letter") : List.of(table);
    }

    /** Whether there is a number behind another one; where there is none, whoever needs one is told. */
    boolean hasNumberBehind(long number) {
        return number < last;
    }

    /** What to tell where the counter cannot be moved ahead. */
    String refusal(long next, long largest, String statement) {
        return "the next row of " + table + " would get the number " + next + ", but " + numbersUpTo(largest)
                + ": the counter has begun anew, by TRUNCATE or because rows were restored or replicated without it. Rows"
                + " would get the numbers of others. Run as the owner of the tables: " + statement;
    }

    /** What to tell where it cannot be moved ahead for now. */
    String inUse(long next, long largest) {
        return "the next row of " + table + " would get the number " + next + ", but " + numbersUpTo(largest)
                + ", and the counter could not be moved ahead, because transactions that write to "
                + String.join(" or ", numbered()) + " were open at every try";
    }

    /** What is logged once it was moved ahead. */
    String movedAhead(long next, long largest) {
        return "the next row of " + table + " would have got the number " + next + ", but " + numbersUpTo(largest)
                + ": the counter had begun anew, by TRUNCATE or because rows were restored or replicated without it, and now"
                + " goes on behind them";
    }

    private String numbersUpTo(long largest) {
        return holders + " hold numbers up to " + largest;
    }
}
