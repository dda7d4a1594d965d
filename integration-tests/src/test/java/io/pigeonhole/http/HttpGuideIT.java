package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Workshop;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/http.md} are compiled, and do what the page says. */
class HttpGuideIT {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Path SOURCES = Path.of("src/test/java/io/pigeonhole/http");

    private final Workshop workshop = PostgresServers.embedded().schema();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeEach
    void createTables() {
        workshop.execute("CREATE TABLE payment (amount text)");
        workshop.execute("CREATE TABLE receipt (charge text)");
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    @Test
    void everyExampleIsPartOfWhatIsCompiled() throws IOException {
        String sources;
        try (Stream<Path> files = Files.list(SOURCES)) {
            sources = files.sorted()
                    .filter(file -> file.toString().endsWith(".java"))
                    .map(HttpGuideIT::read)
                    .collect(Collectors.joining("\n"));
        }
        List<String> examples = EXAMPLE.matcher(read(Path.of("../docs/http.md")))
                .results()
                .map(MatchResult::group)
                .map(example -> example.substring("```java\n".length(), example.length() - "```".length()))
                .toList();

        assertThat(examples)
                .hasSizeGreaterThan(3)
                .allSatisfy(example -> assertThat(withoutIndent(sources)).contains(withoutIndent(example)));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String withoutIndent(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    @Test
    void paymentIsMadeOnce() throws Exception {
        DataSource dataSource = workshop.dataSource();
        // begin
        JdbcStore store = JdbcStore.create(dataSource);
        IdempotentRequests<JdbcContext> requests =
                IdempotentRequests.builder(store.idempotency(), "payments").build();
        IdempotencyFilter filter =
                IdempotencyFilter.builder(requests).userPrincipals().build();
        // end
        try (WebServer server = server(new PaymentServlet(), filter)) {
            assertThat(send(server, "a").body()).isEqualTo("{\"paid\":\"10\"}");
            HttpResponse<String> retry = send(server, "a");

            assertThat(retry.statusCode()).isEqualTo(201);
            assertThat(retry.body()).isEqualTo("{\"paid\":\"10\"}");
            assertThat(retry.headers().firstValue("Idempotent-Replayed")).contains("true");
        }
        assertThat(workshop.askAll("SELECT amount FROM payment")).containsExactly("10");
        assertThat(requests.purge(1_000)).isZero();
    }

    @Test
    void chargeIsMadeOnceThoughTheProviderFailsAtFirst() throws Exception {
        List<String> keys = new ArrayList<>();
        ChargeHandler handler = new ChargeHandler((amount, key) -> {
            keys.add(key);
            if (keys.size() == 1) {
                throw new IllegalStateException("timeout");
            }
            return ("charged " + amount).getBytes(StandardCharsets.UTF_8);
        });
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        IdempotentRequests<JdbcContext> requests = IdempotentRequests.builder(store.idempotency(), "payments")
                .leaseDuration(Duration.ofSeconds(30))
                .build();
        // begin
        IdempotencyFilter filter = IdempotencyFilter.builder(requests)
                .scope(request -> {
                    String user = request.getHeader("X-User");
                    return user == null || user.isBlank() ? null : RequestScope.of(user);
                })
                .inSteps(request -> request.getServletPath().equals("/payments"))
                .build();
        // end
        try (WebServer server = server(new ChargeServlet(handler), filter)) {
            assertThat(send(server, "a").statusCode()).isEqualTo(500);
            assertThat(send(server, "a").body()).isEqualTo("charged 10");
        }
        assertThat(workshop.askAll("SELECT amount FROM payment")).containsExactly("10");
        assertThat(workshop.askAll("SELECT charge FROM receipt")).containsExactly("charged 10");
        assertThat(keys).hasSize(2);
        assertThat(keys.get(1)).isEqualTo(keys.get(0));
        // begin
        int finished = requests.completeAbandoned(Map.of("POST /payments/*", handler), 100);
        int deleted = requests.purge(1_000);
        // end
        assertThat(finished).isZero();
        assertThat(deleted).isZero();
    }

    private static WebServer server(HttpServlet servlet, Filter filter) {
        return new WebServer(servlet::service, List.of(WebServer.users(), filter), null);
    }

    private HttpResponse<String> send(WebServer server, String key) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(server.uri("/payments/"))
                        .header("X-User", "ann")
                        .header("Idempotency-Key", key)
                        .POST(BodyPublishers.ofString("10"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
