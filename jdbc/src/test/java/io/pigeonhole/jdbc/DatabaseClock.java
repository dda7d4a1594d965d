package io.pigeonhole.jdbc;

import java.time.Duration;
import javax.sql.DataSource;

/** A clock of the tests' own for connections of its {@link #url}: PostgreSQL's, moved forward. */
public final class DatabaseClock implements DatabaseServer.MovableClock {
    private final Workshop workshop;

    public DatabaseClock(Workshop workshop) {
        this.workshop = workshop;
        workshop.execute("CREATE TABLE moved (by_ms bigint NOT NULL)");
        workshop.execute("INSERT INTO moved VALUES (0)");
        workshop.execute("""
                CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
                BEGIN
                    RETURN pg_catalog.clock_timestamp() + (SELECT by_ms FROM moved) * interval '1 millisecond';
                END $$""");
    }

    /** Looks into the schema before the server's own, which otherwise comes first. */
    public String url() {
        return workshop.url() + ",pg_catalog";
    }

    @Override
    public DataSource dataSource() {
        return PostgresServers.dataSource(url());
    }

    @Override
    public void advance(Duration duration) {
        workshop.execute("UPDATE moved SET by_ms = by_ms + ?", duration.toMillis());
    }

    @Override
    public void reset() {
        workshop.execute("UPDATE moved SET by_ms = 0");
    }
}
