package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.server.Product;
import java.util.List;

/**
 * What the suite and the inboxes that are written by hand say to a database, each in the words of somebody who knows it.
 *
 * @param createTables accounts, effects, and the tables of the other inboxes
 * @param reset empties all tables, fills the accounts, and makes the server's state the same again
 * @param digestKeys how many keys of the ledger are not in time form
 * @param seedReceive of the seed loop: id, source, type, payload
 * @param storeReceive of store-then-process: id, worker, source, type, account, content type, payload
 * @param storeTake worker, limit
 * @param storeFinish the ids, as one array, or a parameter for each in place of {@code %s}
 */
record FloorStatements(
        List<String> createTables,
        List<String> reset,
        String digestKeys,
        String seedReceive,
        String storeReceive,
        String storeTake,
        String storeFinish) {
    private static final int LAST_ACCOUNT = Workload.ACCOUNTS - 1;

    static FloorStatements of(Product product) {
        return switch (product) {
            case POSTGRESQL -> postgresql();
            case MARIADB -> mariaDb();
        };
    }

    /** How many messages a worker of store-then-process has left. Parameters: worker. */
    String storeLeft() {
        return "SELECT count(*) FROM stored_inbox WHERE status = 'pending' AND worker = ?";
    }

    private static FloorStatements postgresql() {
        return new FloorStatements(
                List.of(
                        "CREATE TABLE account (id integer PRIMARY KEY, balance bigint NOT NULL) WITH (fillfactor = 50)",
                        "CREATE TABLE effect (payment bigint NOT NULL, account integer NOT NULL, amount bigint NOT NULL)",
                        """
                        CREATE TABLE seed_inbox (
                            message_id   varchar(255) PRIMARY KEY,
                            source       varchar(100) NOT NULL,
                            event_type   varchar(100) NOT NULL,
                            payload      jsonb NOT NULL,
                            status       varchar(20) NOT NULL DEFAULT 'pending',
                            received_at  timestamptz NOT NULL DEFAULT now(),
                            processed_at timestamptz,
                            retry_count  integer NOT NULL DEFAULT 0);
                        CREATE INDEX seed_inbox_unfinished ON seed_inbox (status, received_at)
                            WHERE status IN ('pending', 'failed');
                        CREATE INDEX seed_inbox_finished ON seed_inbox (processed_at) WHERE status = 'processed'
                        """,
                        """
                        CREATE TABLE hand_inbox (message_id uuid PRIMARY KEY);
                        CREATE TABLE stored_inbox (
                            message_id   uuid PRIMARY KEY,
                            worker       smallint NOT NULL,
                            source       text NOT NULL,
                            event_type   text NOT NULL,
                            ordering_key text NOT NULL,
                            content_type text NOT NULL,
                            payload      bytea NOT NULL,
                            status       text NOT NULL DEFAULT 'pending',
                            attempts     integer NOT NULL DEFAULT 0,
                            received_at  timestamptz NOT NULL DEFAULT now(),
                            due_at       timestamptz NOT NULL DEFAULT now(),
                            processed_at timestamptz);
                        CREATE INDEX stored_inbox_due ON stored_inbox (worker, due_at) WHERE status = 'pending'
                        """),
                List.of(
                        "TRUNCATE account, effect, seed_inbox, hand_inbox, stored_inbox, inbox_ledger, inbox_work,"
                                + " inbox_attempt, inbox_dead_letter, inbox_history",
                        "INSERT INTO account (id, balance) SELECT id, 0 FROM generate_series(0, " + LAST_ACCOUNT
                                + ") AS id",
                        "VACUUM (ANALYZE) account",
                        "CHECKPOINT"),
                "SELECT count(*) FROM inbox_ledger WHERE message_key >= 'ff000000-0000-0000-0000-000000000000'",
                "INSERT INTO seed_inbox (message_id, source, event_type, payload) VALUES (?, ?, ?, ?::jsonb)",
                """
                INSERT INTO stored_inbox (message_id, worker, source, event_type, ordering_key, content_type, payload)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING""",
                """
                SELECT message_id, source, event_type, payload
                FROM stored_inbox
                WHERE status = 'pending' AND worker = ? AND due_at <= now()
                ORDER BY due_at
                LIMIT ?
                FOR UPDATE SKIP LOCKED""",
                """
                UPDATE stored_inbox SET status = 'processed', attempts = attempts + 1, processed_at = now()
                WHERE message_id = ANY (?)""");
    }

    private static FloorStatements mariaDb() {
        return new FloorStatements(
                List.of(
                        "CREATE TABLE account (id integer PRIMARY KEY, balance bigint NOT NULL)",
                        "CREATE TABLE effect (payment bigint NOT NULL, account integer NOT NULL, amount bigint NOT NULL)",
                        """
                        CREATE TABLE seed_inbox (
                            message_id   varchar(255) PRIMARY KEY,
                            source       varchar(100) NOT NULL,
                            event_type   varchar(100) NOT NULL,
                            payload      json NOT NULL,
                            status       varchar(20) NOT NULL DEFAULT 'pending',
                            received_at  datetime(6) NOT NULL DEFAULT now(6),
                            processed_at datetime(6),
                            retry_count  integer NOT NULL DEFAULT 0,
                            INDEX seed_inbox_unfinished (status, received_at),
                            INDEX seed_inbox_finished (processed_at))""",
                        """
                        CREATE TABLE stored_inbox (
                            message_id   binary(16) PRIMARY KEY,
                            worker       smallint NOT NULL,
                            source       varchar(100) NOT NULL,
                            event_type   varchar(100) NOT NULL,
                            ordering_key varchar(100) NOT NULL,
                            content_type varchar(100) NOT NULL,
                            payload      mediumblob NOT NULL,
                            status       enum('pending', 'processed') NOT NULL DEFAULT 'pending',
                            attempts     integer NOT NULL DEFAULT 0,
                            received_at  datetime(6) NOT NULL DEFAULT now(6),
                            due_at       datetime(6) NOT NULL DEFAULT now(6),
                            processed_at datetime(6),
                            INDEX stored_inbox_due (status, worker, due_at))"""),
                List.of(
                        "TRUNCATE account",
                        "TRUNCATE effect",
                        "TRUNCATE seed_inbox",
                        "TRUNCATE stored_inbox",
                        "TRUNCATE inbox_ledger",
                        "TRUNCATE inbox_work",
                        "TRUNCATE inbox_attempt",
                        "TRUNCATE inbox_dead_letter",
                        "TRUNCATE inbox_history",
                        "INSERT INTO account (id, balance) SELECT seq, 0 FROM seq_0_to_" + LAST_ACCOUNT,
                        "ANALYZE TABLE account"),
                "SELECT count(*) FROM inbox_ledger WHERE message_key >= 0xff000000000000000000000000000000",
                "INSERT INTO seed_inbox (message_id, source, event_type, payload) VALUES (?, ?, ?, ?)",
                """
                INSERT INTO stored_inbox (message_id, worker, source, event_type, ordering_key, content_type, payload)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON DUPLICATE KEY UPDATE message_id = message_id""",
                """
                SELECT message_id, source, event_type, payload
                FROM stored_inbox
                WHERE status = 'pending' AND worker = ? AND due_at <= now(6)
                ORDER BY due_at
                LIMIT ?
                FOR UPDATE SKIP LOCKED""",
                """
                UPDATE stored_inbox SET status = 'processed', attempts = attempts + 1, processed_at = now(6)
                WHERE message_id IN (%s)""");
    }
}
