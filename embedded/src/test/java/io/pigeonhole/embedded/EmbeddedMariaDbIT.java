package io.pigeonhole.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class EmbeddedMariaDbIT {
    private static final Path DIRECTORY = Path.of(System.getProperty("pigeonhole.target", "target"), "mariadb");

    @Test
    void committedRowsOutliveAKill() throws SQLException {
        try (EmbeddedMariaDb server = EmbeddedMariaDb.start(DIRECTORY)) {
            server.createDatabase("cellar");
            try (Connection connection = server.dataSource("cellar").getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE bottle (number integer PRIMARY KEY)");
                statement.execute("INSERT INTO bottle VALUES (1)");
                server.kill();
                assertThatThrownBy(() -> statement.execute("INSERT INTO bottle VALUES (2)"))
                        .isInstanceOf(SQLException.class);
            }

            server.restart();

            assertThat(ask(server, "SELECT group_concat(number) FROM bottle")).isEqualTo("1");
        }
    }

    @Test
    void isDurable() throws SQLException {
        try (EmbeddedMariaDb server = EmbeddedMariaDb.start(DIRECTORY)) {
            server.createDatabase("cellar");
            assertThat(ask(server, "SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
            assertThat(ask(server, "SELECT @@innodb_doublewrite")).isEqualTo("ON");
            assertThat(ask(server, "SELECT @@bind_address")).isEqualTo("127.0.0.1");
        }
    }

    @Test
    void withoutFlushCommitsSurviveTheDeathOfTheServer() throws SQLException {
        try (EmbeddedMariaDb server = EmbeddedMariaDb.startWithoutFlush(DIRECTORY)) {
            server.createDatabase("cellar");
            try (Connection connection = server.dataSource("cellar").getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE bottle (number int)");
                statement.execute("INSERT INTO bottle VALUES (1)");
            }
            server.kill();
            server.restart();
            assertThat(ask(server, "SELECT group_concat(number) FROM bottle")).isEqualTo("1");
            assertThat(ask(server, "SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
        }
    }

    /** A server that starts deletes what it finds of others in its directory for temporary files. */
    @Test
    void temporaryFilesOfAnotherServerStay() throws IOException {
        Path shared = Path.of(System.getenv().getOrDefault("TMPDIR", "/tmp"));
        Path ofAnother = Files.createTempFile(shared, "#sql-temptable-", ".MAD");
        try (EmbeddedMariaDb server = EmbeddedMariaDb.start(DIRECTORY)) {
            assertThat(server.url("")).isNotEmpty();
            assertThat(ofAnother).exists();
        } finally {
            Files.deleteIfExists(ofAnother);
        }
    }

    @Test
    void canBeClosedAfterAKill() {
        EmbeddedMariaDb server = EmbeddedMariaDb.start(DIRECTORY);
        server.kill();
        server.close();
        server.close();
    }

    private static String ask(EmbeddedMariaDb server, String question) throws SQLException {
        try (Connection connection = server.dataSource("cellar").getConnection();
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(question)) {
            answer.next();
            return answer.getString(1);
        }
    }
}
