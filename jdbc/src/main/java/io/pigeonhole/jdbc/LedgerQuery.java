package io.pigeonhole.jdbc;

/** The statements by which the ledger is read where no message is processed. */
enum LedgerQuery implements StatementName {
    /** Where the ledger begins and ends. */
    HORIZON,

    /** Whether a message was accepted, is unfinished or dead. */
    CONTAINS;

    @Override
    public String file() {
        return "ledger-queries";
    }
}
