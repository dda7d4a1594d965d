package io.pigeonhole.benchmarks.scale;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Fills and empties the ledger, past the inbox: it would take hours through it. */
final class LedgerRows {
    /** Accepted one after the other since midnight; in their order, as they came. Parameters: rows, rows, consumer's name. */
    private static final String TIME_ORDERED = """
            INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)
            SELECT c.id,
                   (lpad(to_hex(d.from_millis + i * d.millis / ?), 12, '0') || substr(md5(i::text), 1, 20))::uuid,
                   clock_timestamp()
            FROM (
                SELECT extract(epoch FROM date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC'))::bigint * 1000 AS from_millis,
                       extract(epoch FROM (clock_timestamp() AT TIME ZONE 'UTC')::time)::bigint * 1000 AS millis
            ) AS d, inbox_consumer AS c, generate_series(0, ? - 1) AS i
            WHERE c.name = ?""";

    /** Sorted, which is the fastest way to get them in. Parameters: rows, consumer's name. */
    private static final String DIGESTS = """
            INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)
            SELECT c.id, u.k, clock_timestamp()
            FROM (SELECT ('ff' || substr(md5(i::text), 1, 30))::uuid AS k FROM generate_series(0, ? - 1) AS i ORDER BY 1) AS u,
                inbox_consumer AS c
            WHERE c.name = ?""";

    private final DataSource dataSource;

    LedgerRows(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** So many rows with time-ordered keys, and as many with digests. */
    void fill(String consumer, long rows) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            try (PreparedStatement statement = connection.prepareStatement(TIME_ORDERED)) {
                statement.setLong(1, rows);
                statement.setLong(2, rows);
                statement.setString(3, consumer);
                statement.executeUpdate();
            }
            try (PreparedStatement statement = connection.prepareStatement(DIGESTS)) {
                statement.setLong(1, rows);
                statement.setString(2, consumer);
                statement.executeUpdate();
            }
        }
        execute("VACUUM (ANALYZE) inbox_ledger");
    }

    void empty() throws SQLException {
        execute("TRUNCATE inbox_ledger");
    }

    /** So that no variant pays for what another has written. */
    void checkpoint() throws SQLException {
        execute("CHECKPOINT");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
