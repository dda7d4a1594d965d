package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.idempotency.IdempotencyListener;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.RequestOutcome;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.crash.ChildJvm;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process with a Jetty that comes to a point, says so, and stands still until it is killed. */
final class DyingServer {
    /** What it answers. */
    static final byte[] BODY = "{\"paid\":\"10\",\"odd\":\"\u0000\u00ff\"}".getBytes(StandardCharsets.ISO_8859_1);

    private static final Pattern PORT = Pattern.compile("listening on (\\d+)");
    private static final String ARRIVED = "arrived";
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final ChildJvm process;
    private final HttpLab lab;

    /** Where it stands still. */
    enum Point {
        BEFORE_COMMIT,
        BEHIND_COMMIT
    }

    private DyingServer(ChildJvm process, HttpLab lab) {
        this.process = process;
        this.lab = lab;
    }

    static DyingServer start(HttpLab lab, IdempotencyProfile profile, Point point) {
        Path output = Path.of(System.getProperty("pigeonhole.target", "target"), "http")
                .resolve(profile + "-" + point + ".out");
        return new DyingServer(
                ChildJvm.start(DyingServer.class, output, List.of(lab.clock.url(), profile.name(), point.name())), lab);
    }

    /** Sends a request, and kills the process once it has come to its point. */
    void killInTheMiddleOf(String key) throws InterruptedException {
        try {
            arriveAndKill(key);
        } finally {
            process.kill();
        }
    }

    private void arriveAndKill(String key) throws InterruptedException {
        await().atMost(LONGEST).until(() -> PORT.matcher(process.output()).find());
        Matcher port = PORT.matcher(process.output());
        assertThat(port.find()).isTrue();
        CompletableFuture<HttpResponse<byte[]>> answer = lab.client.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.group(1) + "/payments/"))
                        .header("X-User", "ann")
                        .header("Idempotency-Key", key)
                        .POST(BodyPublishers.ofString("10"))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
        await().atMost(LONGEST).until(() -> process.output().contains(ARRIVED));
        process.kill();
        assertThatThrownBy(() -> answer.get(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class);
    }

    /** Arguments: URL of the database, profile, point. */
    public static void main(String[] arguments) throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(PostgresServers.dataSource(arguments[0]));
        config.setMaximumPoolSize(4);
        IdempotencyProfile profile = IdempotencyProfile.valueOf(arguments[1]);
        Point point = Point.valueOf(arguments[2]);
        IdempotentRequests<JdbcContext> requests = profile.applyTo(IdempotentRequests.builder(
                        JdbcStore.create(new HikariDataSource(config)).idempotency(), "payments"))
                .listener(new IdempotencyListener() {
                    @Override
                    public void onOutcome(String operation, RequestOutcome outcome, Duration took) {
                        arrive(point == Point.BEHIND_COMMIT);
                    }
                })
                .build();
        IdempotencyFilter filter = IdempotencyFilter.builder(requests)
                .profile(profile)
                .scope(request -> RequestScope.of(request.getUserPrincipal().getName()))
                .build();
        WebServer server = new WebServer(
                (request, response) -> {
                    HttpLab.write(request, new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
                    response.setStatus(201);
                    response.getOutputStream().write(BODY);
                    arrive(point == Point.BEFORE_COMMIT);
                },
                List.of(WebServer.users(), filter),
                null);
        System.out.println("listening on " + server.port());
        new CountDownLatch(1).await();
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
