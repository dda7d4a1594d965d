package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.idempotency.Fingerprint;
import io.pigeonhole.core.idempotency.IdempotencyListener;
import io.pigeonhole.core.idempotency.IdempotentRequest;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestHandler;
import io.pigeonhole.core.idempotency.RequestIdentity;
import io.pigeonhole.core.idempotency.RequestMessage;
import io.pigeonhole.core.idempotency.RequestOutcome;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** A process is killed while it handles a request with an idempotency key, on each database. */
class RequestCrashIT {
    private static final String RUN = "requests";
    private static final byte[] BODY = {0, 1, -1, 2};
    private static final String ARRIVED = "arrived";

    @Test
    void killedProcessLeavesAllOrNothingOnPostgres() throws Exception {
        try (Database database = Database.onPostgres()) {
            leavesAllOrNothing(database.url());
        }
    }

    @Test
    void killedProcessLeavesAllOrNothingOnMariaDb() throws Exception {
        try (Database database = Database.onMariaDb()) {
            leavesAllOrNothing(database.url());
        }
    }

    @Test
    void killedProcessLeavesAllOrNothingOnH2() throws Exception {
        Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "h2-request-");
        String url = "jdbc:h2:async:" + directory.toAbsolutePath().resolve("inbox") + ";WRITE_DELAY=0";
        try (Connection connection = dataSource(url).getConnection();
                Statement statement = connection.createStatement()) {
            Schema.apply(dataSource(url));
            statement.execute("""
                    CREATE TABLE effect (run varchar(200) NOT NULL, message varchar(200) NOT NULL,
                        place bigint GENERATED ALWAYS AS IDENTITY)""");
        }
        leavesAllOrNothing(url);
    }

    private static void leavesAllOrNothing(String url) throws Exception {
        kill(url, "before");
        assertThat(Database.effects(dataSource(url), RUN)).isEmpty();
        kill(url, "behind");
        assertThat(Database.effects(dataSource(url), RUN)).containsExactly("behind");

        IdempotentRequests<JdbcContext> requests = requests(url, new IdempotencyListener() {});
        // A server may need a moment to notice that a client is gone.
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            RequestOutcome outcome = requests.handle(request("before"), writing("before", () -> {}));
            assertThat(outcome)
                    .isIn(
                            new RequestOutcome.InProgress(Duration.ofSeconds(1)),
                            new RequestOutcome.Executed(response()));
            return outcome instanceof RequestOutcome.Executed;
        });
        assertThat(requests.handle(request("behind"), writing("again", () -> {})))
                .isEqualTo(new RequestOutcome.Replayed(response()));
        assertThat(Database.effects(dataSource(url), RUN)).containsExactly("behind", "before");
        close(url);
    }

    /** A file belongs to one process. */
    private static void close(String url) throws SQLException {
        if (isH2(url)) {
            try (Connection connection = dataSource(url).getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SHUTDOWN");
            }
        }
    }

    private static void kill(String url, String point) throws Exception {
        close(url);
        Path output =
                Database.directory().resolve("requests").resolve(point + Integer.toHexString(url.hashCode()) + ".out");
        ChildJvm process = ChildJvm.start(Dying.class, output, List.of(url, point));
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> process.output().contains(ARRIVED));
        } finally {
            process.kill();
        }
    }

    private static boolean isH2(String url) {
        return url.startsWith("jdbc:h2:");
    }

    private static DataSource dataSource(String url) {
        if (!isH2(url)) {
            return Database.dataSource(url);
        }
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(url);
        dataSource.setUser("sa");
        return dataSource;
    }

    private static IdempotentRequests<JdbcContext> requests(String url, IdempotencyListener listener) {
        return IdempotentRequests.builder(JdbcStore.create(dataSource(url)).idempotency(), "payments")
                .listener(listener)
                .build();
    }

    private static IdempotentRequest request(String key) {
        RequestIdentity identity = new RequestIdentity("POST /payments", RequestScope.of("ann"), key);
        return new IdempotentRequest(
                identity,
                Fingerprint.builder().add(BODY).build(),
                RequestMessage.of("payments", identity.operation(), key, Headers.none(), null, BODY));
    }

    private static StoredResponse response() {
        return new StoredResponse(201, Headers.none().with("Location", "/payments/1"), BODY);
    }

    private static RequestHandler<JdbcContext> writing(String effect, Runnable behind) {
        return context -> {
            try (PreparedStatement statement =
                    context.connection().prepareStatement("INSERT INTO effect (run, message) VALUES (?, ?)")) {
                statement.setString(1, RUN);
                statement.setString(2, effect);
                statement.executeUpdate();
            }
            behind.run();
            return Reply.commit(response());
        };
    }

    /** Comes to a point, says so, and stands still until it is killed. Arguments: JDBC URL, and the point. */
    static final class Dying {
        private Dying() {}

        public static void main(String[] arguments) throws Exception {
            String point = arguments[1];
            requests(arguments[0], new IdempotencyListener() {
                        @Override
                        public void onOutcome(String operation, RequestOutcome outcome, Duration took) {
                            arrive(point.equals("behind"));
                        }
                    })
                    .handle(request(point), writing(point, () -> arrive(point.equals("before"))));
        }

        private static void arrive(boolean here) {
            if (here) {
                System.out.println(ARRIVED);
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
