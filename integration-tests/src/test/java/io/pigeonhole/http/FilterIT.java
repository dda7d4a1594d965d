package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.RequestOutcome.Kind;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Workshop;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The filter beside other filters, and what a servlet may do with its request and response. */
class FilterIT {
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final Filter READS_PARAMETERS = (request, response, chain) -> {
        request.getParameter("a");
        chain.doFilter(request, response);
    };

    private final Workshop workshop = PostgresServers.embedded().schema();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    private IdempotentRequests<JdbcContext> requests;

    @SuppressWarnings("NullAway.Init")
    private IdempotencyFilter filter;

    @BeforeEach
    void makeFilter() {
        requests = IdempotentRequests.builder(
                        JdbcStore.create(workshop.dataSource()).idempotency(), "payments")
                .build();
        filter = IdempotencyFilter.builder(requests).userPrincipals().build();
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private WebServer server(Application application, Filter... before) {
        List<Filter> filters = new ArrayList<>(List.of(before));
        filters.add(0, WebServer.users());
        filters.add(filter);
        return new WebServer(application, filters, null);
    }

    private HttpResponse<String> send(WebServer server, String key, String type, String body)
            throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(server.uri("/payments/?q=1"))
                        .header("X-User", "ann")
                        .header("Idempotency-Key", key)
                        .header("Content-Type", type)
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static final Application PARAMETERS = (request, response) -> {
        response.setContentType("text/plain;charset=utf-8");
        response.getWriter().write(request.getParameter("q") + " " + request.getParameter("a"));
    };

    @Test
    void servletHasTheParametersOfAForm() throws Exception {
        try (WebServer server = server(PARAMETERS)) {
            assertThat(send(server, "a", FORM, "a=%C3%A4+b").body()).isEqualTo("1 \u00e4 b");
            assertThat(send(server, "a", FORM, "a=%C3%A4+b").headers().firstValue("Idempotent-Replayed"))
                    .isPresent();
            assertThat(send(server, "a", FORM, "a=c").statusCode()).isEqualTo(422);
        }
    }

    @Test
    void servletHasTheParametersThatAFilterInFrontHasReadToo() throws Exception {
        try (WebServer server = server(PARAMETERS, READS_PARAMETERS)) {
            assertThat(send(server, "a", FORM, "a=%C3%A4+b").body()).isEqualTo("1 \u00e4 b");
            assertThat(send(server, "a", FORM, "a=%C3%A4+b").headers().firstValue("Idempotent-Replayed"))
                    .isPresent();
            assertThat(send(server, "a", FORM, "a=c").statusCode()).isEqualTo(422);
        }
    }

    /** Two requests that differ in their bodies only would be the same one. */
    @Test
    void requestWhoseBodyIsReadAlreadyFails() throws Exception {
        Filter reader = (request, response, chain) -> {
            request.getInputStream().readAllBytes();
            chain.doFilter(request, response);
        };
        try (WebServer server = server(PARAMETERS, reader)) {
            assertThat(send(server, "a", "text/plain", "10").statusCode()).isEqualTo(500);
        }
        assertThat(requests.counts().of(Kind.EXECUTED)).isZero();
    }

    @Test
    void bodyCanBeReadByAReader() throws Exception {
        try (WebServer server = server((request, response) ->
                response.getWriter().write(request.getReader().readLine() + " " + request.getParameter("q")))) {
            assertThat(send(server, "a", "text/plain;charset=utf-8", "10 \u20ac")
                            .body())
                    .contains("10", "1");
        }
    }

    @Test
    void nothingReachesTheClientOfAResponseThatWasReset() throws Exception {
        AtomicReference<Boolean> committed = new AtomicReference<>();
        try (WebServer server = server((request, response) -> {
            response.setHeader("X-Old", "1");
            response.getWriter().write("old");
            response.flushBuffer();
            committed.set(response.isCommitted());
            response.reset();
            response.setStatus(202);
            response.getOutputStream().write("new".getBytes(StandardCharsets.UTF_8));
        })) {
            HttpResponse<String> answer = send(server, "a", "text/plain", "10");
            assertThat(answer.statusCode()).isEqualTo(202);
            assertThat(answer.body()).isEqualTo("new");
            assertThat(answer.headers().firstValue("X-Old")).isEmpty();
            assertThat(committed).hasValue(false);
        }
    }

    @Test
    void redirectIsGivenAgain() throws Exception {
        try (WebServer server = server((request, response) -> response.sendRedirect("/payments/1"))) {
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> answer = send(server, "a", "text/plain", "10");
                assertThat(answer.statusCode()).isEqualTo(302);
                assertThat(answer.headers().firstValue("Location")).contains("/payments/1");
            }
        }
        assertThat(requests.counts().of(Kind.REPLAYED)).isEqualTo(1);
    }

    @Test
    void databaseThatIsAwayIsNoErrorOfTheServer() throws Exception {
        try (WebServer server = server((request, response) -> {
            throw new StoreUnavailableException("away", null);
        })) {
            HttpResponse<String> answer = send(server, "a", "text/plain", "10");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.headers().firstValue("Retry-After")).contains("1");
            assertThat(answer.body()).contains("idempotency-temporarily-unavailable");
        }
    }
}
