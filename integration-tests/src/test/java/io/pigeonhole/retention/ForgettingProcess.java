package io.pigeonhole.retention;

import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;

/** Forgets until it dies at a statement. */
final class ForgettingProcess {
    private ForgettingProcess() {}

    /**
     * Arguments: URL, a part of the statement's text, whether it dies after it.
     */
    public static void main(String[] arguments) {
        JdbcStore store = JdbcStore.create(HaltingDataSource.around(
                PostgresServers.dataSource(arguments[0]), arguments[1], Boolean.parseBoolean(arguments[2])));
        store.maintain();
        while (store.retire().more()) {
            // The next piece.
        }
    }
}
