package io.pigeonhole.http;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.IdempotentRequestsBuilder;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.jdbc.DatabaseClock;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.jdbc.Workshop;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.ee10.servlet.security.ConstraintSecurityHandler;
import org.jspecify.annotations.Nullable;

/** Nodes of an application on one PostgreSQL schema, whose clock can be moved, and a client. */
final class HttpLab implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    final Workshop workshop = SharedSchema.WORKSHOP;
    final DatabaseClock clock = SharedSchema.CLOCK;
    final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final IdempotencyProfile profile;
    private final List<Runnable> open = new ArrayList<>();

    /** What the servlets of all nodes do. */
    volatile Application application = (request, response) -> {};

    HttpLab(IdempotencyProfile profile) {
        this.profile = profile;
        clock.reset();
        workshop.execute("TRUNCATE effect, inbox_idempotency");
    }

    /** One schema for all tests of this JVM, one after the other. */
    private static final class SharedSchema {
        static final Workshop WORKSHOP = PostgresServers.embedded().emptySchema();
        static final DatabaseClock CLOCK = new DatabaseClock(WORKSHOP);

        static {
            Schema.apply(PostgresServers.dataSource(CLOCK.url()));
            WORKSHOP.execute("CREATE TABLE effect (place bigint GENERATED ALWAYS AS IDENTITY, text text)");
        }
    }

    /** One node. */
    record Node(WebServer server, IdempotentRequests<JdbcContext> requests, IdempotencyFilter filter) {}

    Node node() {
        return node(builder -> builder);
    }

    Node node(UnaryOperator<IdempotencyFilterBuilder<JdbcContext>> settings) {
        return node(builder -> builder, settings);
    }

    Node node(
            UnaryOperator<IdempotentRequestsBuilder<JdbcContext>> ofRequests,
            UnaryOperator<IdempotencyFilterBuilder<JdbcContext>> settings) {
        return node(4, ofRequests, settings, null);
    }

    Node node(
            int connections,
            UnaryOperator<IdempotentRequestsBuilder<JdbcContext>> ofRequests,
            UnaryOperator<IdempotencyFilterBuilder<JdbcContext>> settings,
            @Nullable ConstraintSecurityHandler security) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(PostgresServers.dataSource(clock.url()));
        config.setMaximumPoolSize(connections);
        HikariDataSource pool = new HikariDataSource(config);
        open.add(pool::close);
        IdempotentRequests<JdbcContext> requests = ofRequests
                .apply(profile.applyTo(
                        IdempotentRequests.builder(JdbcStore.create(pool).idempotency(), "payments")))
                .build();
        IdempotencyFilter filter = settings.apply(IdempotencyFilter.builder(requests)
                        .profile(profile)
                        .scope(request -> request.getUserPrincipal() == null
                                ? null
                                : RequestScope.of(request.getUserPrincipal().getName())))
                .build();
        List<Filter> filters = security == null ? List.of(WebServer.users(), filter) : List.of(filter);
        WebServer server =
                new WebServer((request, response) -> application.handle(request, response), filters, security);
        open.add(server::close);
        return new Node(server, requests, filter);
    }

    /** Writes in the transaction of the key. */
    static void write(HttpServletRequest request, String effect) throws SQLException {
        write(IdempotencyFilter.context(request, JdbcContext.class), effect);
    }

    static void write(JdbcContext context, String effect) throws SQLException {
        try (PreparedStatement statement =
                context.connection().prepareStatement("INSERT INTO effect (text) VALUES (?)")) {
            statement.setString(1, effect);
            statement.executeUpdate();
        }
    }

    /** Writes what it is sent, and answers 201. */
    static Application payment() {
        return (request, response) -> {
            String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            write(request, body);
            response.setStatus(201);
            response.setHeader("Location", "/payments/1");
            response.setContentType("application/json");
            response.getWriter().write("{\"paid\":\"" + body + "\"}");
        };
    }

    List<String> effects() {
        return workshop.askAll("SELECT text FROM effect ORDER BY place");
    }

    int storedRequests() {
        return Integer.parseInt(workshop.ask("SELECT count(*) FROM inbox_idempotency"));
    }

    /** A request of Ann's with a key. */
    static HttpRequest.Builder post(Node node, String key, String body) {
        return to(node, "/payments/").header("Idempotency-Key", key).POST(BodyPublishers.ofString(body));
    }

    static HttpRequest.Builder to(Node node, String path) {
        return HttpRequest.newBuilder(node.server().uri(path)).timeout(TIMEOUT).header("X-User", "ann");
    }

    HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }

    static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    static boolean isReplayed(HttpResponse<byte[]> response) {
        return response.headers().firstValue("Idempotent-Replayed").isPresent();
    }

    static String header(HttpResponse<byte[]> response, String name) {
        return String.join(", ", response.headers().allValues(name));
    }

    @Override
    public void close() {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).run();
        }
    }
}
