package io.pigeonhole.jdbc.sql;

/** The statements by which the ledger is read where no message is processed. */
public enum LedgerQuery implements StatementName {
    /** Where the ledger begins and ends. */
    BOUNDS,

    /** Whether the ledger itself has a key. */
    IS_ACCEPTED,

    /** Whether a message was accepted, is unfinished or dead. */
    CONTAINS;

    @Override
    public String file() {
        return "ledger-queries";
    }
}
