package io.pigeonhole.jdbc;

/** The statements by which the ledger is read where no message is processed. */
enum LedgerQuery implements StatementName {
    /** Where the ledger begins and ends. */
    HORIZON;

    @Override
    public String file() {
        return "ledger-queries";
    }
}
