package io.pigeonhole.jdbc.retention;

import java.time.LocalDate;
import java.util.List;

/**
 * The days of ledger and history that are past their time and go as a whole, and how a database lets them go. Safe for use by many
 * threads and many programs.
 */
public interface OldDays {
    String LEDGER = "inbox_ledger";
    String HISTORY = "inbox_history";

    /** The days of a table before another one, oldest first; none where the database has no days. */
    List<OldDay> before(String table, LocalDate first);

    /** The days before a day of the history whose messages would go with it. */
    List<LocalDate> earlierIn(OldDay day);

    /**
     * Drops a day of the ledger, which is behind the ledger's bounds, or one of the history that is not whole. Not where somebody else is
     * at it, in the way or done with it: a later call goes on.
     */
    DayDrop drop(OldDay day);

    /**
     * The same for a whole day of the history that may go.
     *
     * @param earlier {@link #earlierIn} it, which may go too
     * @param hold what {@link OldHistory#letGo} holds meanwhile, so that no replay is made
     */
    DayDrop drop(OldDay day, List<LocalDate> earlier, String hold);

    /** The days of the history from one on that a node began to drop, although they are not past their time now. */
    List<OldDay> begunFrom(LocalDate first);

    /** Puts one of these back, unless somebody else is at it or in the way, and a later call tries it again. */
    boolean giveBack(OldDay day);
}
