package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.sql.Connections;

/** The lock that keeps other programs from changing the schema, where it is not one of a transaction. */
final class SchemaLock {
    private SchemaLock() {}

    /** The same on a connection that holds the lock meanwhile. */
    static Connections.Action holding(Dialect dialect, Connections.Action work) {
        return connection -> {
            dialect.lockSchema(connection);
            try {
                work.run(connection);
            } finally {
                // Whoever gets it next would keep the schema locked for all others.
                Connections.doOrAbort(connection, "unlocked", () -> dialect.unlockSchema(connection));
            }
        };
    }
}
