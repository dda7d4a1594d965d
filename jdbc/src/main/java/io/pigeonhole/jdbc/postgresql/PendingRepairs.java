package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.transaction.PendingRepair;

/**
 * What a refused statement on PostgreSQL may have shown to be wrong with the tables.
 *
 * @param missingDay the history has none for the present
 * @param takenNumber a sequence gave a number that a row has
 */
record PendingRepairs(PendingRepair missingDay, PendingRepair takenNumber) {
    /** Before a transaction. */
    void repairWhereSuspected() {
        missingDay.repairWhereSuspected();
        takenNumber.repairWhereSuspected();
    }
}
