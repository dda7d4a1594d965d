package io.pigeonhole.contract;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.Schema;
import java.nio.file.Path;
import javax.sql.DataSource;

/** One database on an embedded server for all tests of this package; the server stops with the JVM. */
final class PostgresDatabase {
    private static final String NAME = "contract";
    private static final DataSource POOL = create();

    private PostgresDatabase() {}

    static DataSource pool() {
        return POOL;
    }

    @SuppressWarnings("resource") // Closed with the JVM.
    private static DataSource create() {
        EmbeddedPostgres server =
                EmbeddedPostgres.start(Path.of(System.getProperty("pigeonhole.target", "target"), "postgres"));
        server.createDatabase(NAME);
        Schema.apply(server.dataSource(NAME));
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url(NAME));
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }
}
