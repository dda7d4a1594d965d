package io.pigeonhole.core.inbox;

/** Whether finished messages are recorded. */
public enum HistoryMode {
    /** Only the ledger remembers them, by their keys. */
    NONE,
    /** A row for each, without headers and payload. */
    WITHOUT_PAYLOAD,
    /** A row for each, with everything. */
    WITH_PAYLOAD
}
