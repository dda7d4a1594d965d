package io.pigeonhole.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class EmbeddedPostgresIT {
    private static final Path DIRECTORY = Path.of(System.getProperty("pigeonhole.target", "target"), "postgres");

    @Test
    void committedRowsOutliveAKill() throws SQLException {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(DIRECTORY)) {
            server.createDatabase("cellar");
            try (Connection connection = server.dataSource("cellar").getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE bottle AS SELECT 1 AS number");
                server.kill();
                assertThatThrownBy(() -> statement.execute("INSERT INTO bottle VALUES (2)"))
                        .isInstanceOf(SQLException.class);
            }

            server.restart();

            assertThat(ask(server, "SELECT string_agg(number::text, ',') FROM bottle"))
                    .isEqualTo("1");
        }
    }

    @Test
    void isDurable() throws SQLException {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(DIRECTORY)) {
            server.createDatabase("cellar");
            assertThat(ask(server, "SHOW fsync")).isEqualTo("on");
            assertThat(ask(server, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(ask(server, "SHOW full_page_writes")).isEqualTo("on");
        }
    }

    @Test
    void canBeClosedAfterAKill() {
        EmbeddedPostgres server = EmbeddedPostgres.start(DIRECTORY);
        server.kill();
        server.close();
        server.close();
    }

    private static String ask(EmbeddedPostgres server, String question) throws SQLException {
        try (Connection connection = server.dataSource("cellar").getConnection();
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(question)) {
            answer.next();
            return answer.getString(1);
        }
    }
}
