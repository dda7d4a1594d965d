package io.pigeonhole.jdbc.sql;

import java.util.Set;

/** Which tables and views of a schema are ours. */
public final class OwnTables {
    private static final String OF_INBOX = "inbox";
    private static final Set<String> OF_OUTBOX = Set.of("outbox_message", "outbox_generation", "outbox_order");

    private OwnTables() {}

    /** Whether a table or view is one, by its name in small letters. */
    public static boolean has(String name) {
        return name.equals(OF_INBOX) || name.startsWith(OF_INBOX + "_") || OF_OUTBOX.contains(name);
    }
}
