package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Databases that lack characters which messages, or the texts of errors, may have. */
@Tag("D8")
class CharacterSetsIT {
    static Stream<MariaDbServer> mariaDbs() {
        return MariaDbServers.all();
    }

    @ParameterizedTest
    @ValueSource(strings = {"LATIN1", "SQL_ASCII"})
    void databaseOfAnotherEncodingIsRefused(String encoding) throws SQLException {
        PostgresServer server = PostgresServers.embedded();
        String database = ("d8_" + encoding + "_" + ProcessHandle.current().pid()).toLowerCase(Locale.ROOT);
        PGSimpleDataSource other = new PGSimpleDataSource();
        other.setUrl(server.url());
        other.setDatabaseName(database);
        DatabaseServer.execute(
                server.dataSource(server.url()),
                "CREATE DATABASE " + database + " ENCODING '" + encoding
                        + "' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
        try {
            assertThatThrownBy(() -> Schema.apply(other))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("the database " + database + " has the encoding " + encoding)
                    .hasMessageContaining("ENCODING 'UTF8'");

            DatabaseServer.execute(other, Schema.print());
            assertThatThrownBy(() -> JdbcStore.create(other))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("the database " + database + " has the encoding " + encoding);
        } finally {
            DatabaseServer.execute(server.dataSource(server.url()), "DROP DATABASE " + database + " WITH (FORCE)");
        }
    }

    @ParameterizedTest
    @MethodSource("mariaDbs")
    void tableThatWasConvertedIsRefused(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            workshop.execute("ALTER TABLE inbox_work CONVERT TO CHARACTER SET latin1");
            assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource()))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("inbox_work")
                    .hasMessageContaining("latin1")
                    .hasMessageContaining("CONVERT TO CHARACTER SET utf8mb4");
        }
    }
}
