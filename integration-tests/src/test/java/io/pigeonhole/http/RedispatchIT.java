package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Workshop;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that come to the filter when they are dispatched again, by something in front that it does not see. */
class RedispatchIT {
    private final Workshop workshop = PostgresServers.embedded().schema();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final IdempotentRequests<JdbcContext> requests = IdempotentRequests.builder(
                    JdbcStore.create(workshop.dataSource()).idempotency(), "payments")
            .build();
    private final IdempotencyFilter filter =
            IdempotencyFilter.builder(requests).userPrincipals().build();
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void close() {
        workshop.close();
    }

    private WebServer server(Filter front) {
        return new WebServer(
                (request, response) -> {
                    runs.incrementAndGet();
                    response.setStatus(201);
                    response.getWriter().write("guarded " + IdempotencyFilter.isGuarded(request));
                },
                List.of(WebServer.users(), front, filter),
                null,
                EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.FORWARD));
    }

    /** Dispatches what the client has sent again, but for the header {@code X-Direct}. */
    private static Filter dispatching(DispatcherType type) {
        return (request, response, chain) -> {
            boolean isSent = request.getDispatcherType() == DispatcherType.REQUEST
                    && ((HttpServletRequest) request).getHeader("X-Direct") == null;
            if (isSent && type == DispatcherType.FORWARD) {
                request.getRequestDispatcher("/payments/new?mode=1").forward(request, response);
            } else if (isSent) {
                request.startAsync().dispatch();
            } else {
                chain.doFilter(request, response);
            }
        };
    }

    private HttpResponse<String> send(WebServer server, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(path)).header("X-User", "ann");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.POST(BodyPublishers.ofString("10")).build(), HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @EnumSource(
            value = DispatcherType.class,
            names = {"FORWARD", "ASYNC"})
    void requestThatIsDispatchedAgainIsGuarded(DispatcherType type) throws Exception {
        try (WebServer server = server(dispatching(type))) {
            HttpResponse<String> first = send(server, "/payments/old", "Idempotency-Key", "a");
            HttpResponse<String> retry = send(server, "/payments/old", "Idempotency-Key", "a");

            assertThat(first.body()).isEqualTo("guarded true");
            assertThat(retry.headers().firstValue("Idempotent-Replayed")).isPresent();
            assertThat(retry.body()).isEqualTo("guarded true");
            assertThat(runs).hasValue(1);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DispatcherType.class,
            names = {"FORWARD", "ASYNC"})
    void requestThatIsDispatchedAgainNeedsAKey(DispatcherType type) throws Exception {
        try (WebServer server = server(dispatching(type))) {
            assertThat(send(server, "/payments/old").statusCode()).isEqualTo(400);
            assertThat(runs).hasValue(0);
        }
    }

    /** The servlet sees parameters that the query of the dispatch does not have. */
    @ParameterizedTest
    @EnumSource(
            value = DispatcherType.class,
            names = {"FORWARD", "ASYNC"})
    void queryThatTheClientHasSentBelongsToTheRequest(DispatcherType type) throws Exception {
        try (WebServer server = server(dispatching(type))) {
            assertThat(send(server, "/payments/old?amount=1", "Idempotency-Key", "a")
                            .statusCode())
                    .isEqualTo(201);
            assertThat(send(server, "/payments/old?amount=2", "Idempotency-Key", "a")
                            .statusCode())
                    .isEqualTo(422);
        }
    }

    /** Such as one that a filter throttles, now and then. */
    @Test
    void retryMayBeDispatchedAsynchronouslyThoughTheFirstRequestWasNot() throws Exception {
        try (WebServer server = server(dispatching(DispatcherType.ASYNC))) {
            send(server, "/payments/old?amount=1", "Idempotency-Key", "a", "X-Direct", "1");
            HttpResponse<String> retry = send(server, "/payments/old?amount=1", "Idempotency-Key", "a");

            assertThat(retry.headers().firstValue("Idempotent-Replayed")).isPresent();
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void requestWithoutAKeyIsCountedOnceThoughItIsForwarded() throws Exception {
        IdempotencyFilter optional = IdempotencyFilter.builder(requests)
                .userPrincipals()
                .required(false)
                .build();
        WebServer forwarding = new WebServer(
                (request, response) -> {
                    if (request.getDispatcherType() == DispatcherType.REQUEST) {
                        request.getRequestDispatcher("/payments/view").forward(request, response);
                    } else {
                        runs.incrementAndGet();
                    }
                },
                List.of(optional),
                null,
                EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD));
        try (forwarding) {
            assertThat(send(forwarding, "/payments/").statusCode()).isEqualTo(200);
            assertThat(send(forwarding, "/payments/").statusCode()).isEqualTo(200);
        }
        assertThat(runs).hasValue(2);
        assertThat(optional.withoutKey()).isEqualTo(2);
    }

    @Test
    void whatAGuardedRequestIsForwardedToIsAPartOfIt() throws Exception {
        WebServer forwarding = new WebServer(
                (request, response) -> {
                    runs.incrementAndGet();
                    if (request.getDispatcherType() == DispatcherType.REQUEST) {
                        request.getRequestDispatcher("/payments/view").forward(request, response);
                    } else {
                        response.getWriter()
                                .write("view of a request that is guarded: " + IdempotencyFilter.isGuarded(request));
                    }
                },
                List.of(WebServer.users(), filter),
                null,
                EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.FORWARD));
        try (forwarding) {
            for (int i = 0; i < 2; i++) {
                assertThat(send(forwarding, "/payments/", "Idempotency-Key", "a")
                                .body())
                        .isEqualTo("view of a request that is guarded: true");
            }
            assertThat(runs).hasValue(2);
            assertThat(workshop.ask("SELECT count(*) FROM inbox_idempotency")).isEqualTo("1");
        }
    }
}
