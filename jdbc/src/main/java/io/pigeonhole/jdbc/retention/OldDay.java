package io.pigeonhole.jdbc.retention;

import java.time.LocalDate;
import java.time.format.DateTimeFormatter;

/**
 * A day of a table, whose rows go all at once.
 *
 * @param table {@code inbox_ledger} or {@code inbox_history}
 * @param day in UTC
 * @param attached whether the table has it
 * @param pending whether we began to detach it
 */
public record OldDay(String table, LocalDate day, boolean attached, boolean pending) {
    /** What PostgreSQL calls the table of a day. */
    public String name() {
        return table + "_" + DateTimeFormatter.BASIC_ISO_DATE.format(day);
    }

    public boolean isOfHistory() {
        return table.equals(OldDays.HISTORY);
    }

    /** Whether the table has it in full, so that its rows are seen there. */
    public boolean isWhole() {
        return attached && !pending;
    }
}
