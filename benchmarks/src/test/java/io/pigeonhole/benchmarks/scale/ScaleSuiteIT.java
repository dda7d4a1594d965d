package io.pigeonhole.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.Product;
import io.pigeonhole.benchmarks.suite.Round;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.SuiteRunner;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole suite in small: that it runs and that its checks hold, not how fast it is. */
@Tag("full")
class ScaleSuiteIT {
    @Test
    void acceptsNewMessagesOfEveryKindInAFullAndInAnEmptyLedger() throws Exception {
        Path files = Path.of(System.getProperty("pigeonhole.target"));
        try (DatabaseServer server = DatabaseServer.start(Product.POSTGRESQL, files, 6)) {
            Suite suite = ScaleSuite.create(server, 1000, 300);
            List<Round> rounds = new SuiteRunner(suite, Duration.ofDays(1), line -> {}).run(1);

            assertThat(rounds.get(0).measurements().keySet())
                    .containsExactly(
                            "time-ordered-empty",
                            "time-ordered-full",
                            "random-uuid-empty",
                            "random-uuid-full",
                            "text-empty",
                            "text-full");
            // Two rounds, the one that warms up among them; two kinds of ids become digests.
            assertThat(count(server, "ledger_full.inbox_ledger_digest")).isEqualTo(1000 + 2 * 2 * 300);
            assertThat(count(server, "ledger_full.inbox_ledger")).isEqualTo(2 * 1000 + 2 * 3 * 300);
            assertThat(count(server, "ledger_empty.inbox_ledger")).isEqualTo(300);
        }
    }

    private static long count(DatabaseServer server, String table) throws Exception {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
            row.next();
            return row.getLong(1);
        }
    }
}
