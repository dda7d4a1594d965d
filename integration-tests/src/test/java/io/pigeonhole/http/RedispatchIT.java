package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Workshop;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        return sendBody(server, "10", path, headers);
    }

    private HttpResponse<String> sendBody(WebServer server, String body, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(path)).header("X-User", "ann");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.POST(BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
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

    private static final EnumSet<DispatcherType> DISPATCHES =
            EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.FORWARD);

    private String storedRequests() {
        return workshop.ask("SELECT count(*) FROM inbox_idempotency");
    }

    /** Answers with what it sees, and fails or refuses where the path says so. */
    private Application payments() {
        return (request, response) -> {
            String path = request.getRequestURI();
            if (path.endsWith("/throw")) {
                throw new IllegalStateException("declined");
            } else if (path.endsWith("/refuse")) {
                response.sendError(404, "no such account");
            } else if (path.endsWith("/error")) {
                request.getRequestDispatcher("/payments/view").forward(request, response);
            } else {
                runs.incrementAndGet();
                response.getWriter()
                        .write(path.substring("/payments/".length()) + " guarded "
                                + IdempotencyFilter.isGuarded(request));
            }
        };
    }

    /** Refuses a path in front, and shows a page, as Spring Security does. */
    private static Filter denying(DispatcherType type) {
        return (request, response, chain) -> {
            if (request.getDispatcherType() != DispatcherType.REQUEST) {
                chain.doFilter(request, response);
                return;
            }
            ((HttpServletResponse) response).setStatus(403);
            if (type == DispatcherType.FORWARD) {
                request.getRequestDispatcher("/payments/denied").forward(request, response);
            } else {
                request.startAsync().dispatch("/payments/denied");
            }
        };
    }

    /** With a key it is guarded, or not shown, as nothing tells that it is no payment. */
    @ParameterizedTest
    @EnumSource(
            value = DispatcherType.class,
            names = {"FORWARD", "ASYNC"})
    void pageOfARequestThatWasRefusedInFrontKeepsItsStatusAndIsNotStored(DispatcherType type) throws Exception {
        try (WebServer server =
                new WebServer(payments(), List.of(WebServer.users(), denying(type), filter), null, DISPATCHES)) {
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> denied = send(server, "/payments/secret", "Idempotency-Key", "a");
                assertThat(denied.statusCode()).isEqualTo(403);
                assertThat(denied.body())
                        .contains(type == DispatcherType.ASYNC ? "denied guarded true" : "Forbidden")
                        .doesNotContain("guarded false");
                assertThat(denied.headers().firstValue("Idempotent-Replayed")).isEmpty();
            }
            if (type == DispatcherType.FORWARD) {
                HttpResponse<String> withoutKey = send(server, "/payments/secret");
                assertThat(withoutKey.statusCode()).isEqualTo(403);
                assertThat(withoutKey.body()).isEqualTo("denied guarded false");
            }
        }
        assertThat(storedRequests()).isEqualTo("0");
    }

    /** The body is read, and the key may be known: neither says anything of the refusal. */
    @Test
    void requestThatIsRefusedUnderItsKeyIsAnsweredWithTheStatusOfTheFront() throws Exception {
        Filter translates = (request, response, chain) -> {
            try {
                chain.doFilter(request, response);
            } catch (IllegalStateException e) {
                ((HttpServletResponse) response).setStatus(403);
                request.getRequestDispatcher("/payments/denied").forward(request, response);
            }
        };
        try (WebServer server =
                new WebServer(payments(), List.of(WebServer.users(), translates, filter), null, DISPATCHES)) {
            for (int i = 0; i < 2; i++) {
                assertThat(send(server, "/payments/throw", "Idempotency-Key", "a")
                                .statusCode())
                        .isEqualTo(403);
            }
        }
        assertThat(runs).hasValue(0);
        assertThat(storedRequests()).isEqualTo("0");
    }

    /** It has the status of the whole, and keeps its body to itself. */
    private static HttpServletResponse answerOfAPart(HttpServletResponse whole) {
        ServletOutputStream ignored = new ServletOutputStream() {
            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setWriteListener(WriteListener listener) {}

            @Override
            public void write(int b) {}
        };
        return new HttpServletResponseWrapper(whole) {
            @Override
            public ServletOutputStream getOutputStream() {
                return ignored;
            }

            @Override
            public PrintWriter getWriter() {
                return new PrintWriter(ignored, false, StandardCharsets.UTF_8);
            }

            @Override
            public void setContentLengthLong(long length) {}

            @Override
            public void flushBuffer() {}
        };
    }

    /** A batch: each part has a key of its own, and the response is theirs together. */
    @ParameterizedTest
    @CsvSource({"1, 2, 2", "1, 1, 2", "refuse, 2, 1"})
    void eachPartOfABatchIsARequest(String first, String second, int paid) throws Exception {
        Application batch = (request, response) -> {
            if (!request.getRequestURI().endsWith("/batch")) {
                if (request.getRequestURI().endsWith("/refuse")) {
                    response.setStatus(422);
                } else {
                    runs.incrementAndGet();
                }
                return;
            }
            int part = 0;
            for (String path : List.of(first, second)) {
                String key = "k" + ++part;
                HttpServletRequest withKey = new HttpServletRequestWrapper(request) {
                    @Override
                    public Enumeration<String> getHeaders(String name) {
                        return name.equals("Idempotency-Key")
                                ? Collections.enumeration(List.of(key))
                                : super.getHeaders(name);
                    }
                };
                request.getRequestDispatcher("/payments/" + path).forward(withKey, answerOfAPart(response));
            }
        };
        IdempotencyFilter ofParts = IdempotencyFilter.builder(requests)
                .scope(request -> RequestScope.of(request.getHeader("X-User")))
                .build();
        Filter onlyParts = (request, response, chain) -> {
            if (((HttpServletRequest) request).getRequestURI().endsWith("/batch")) {
                chain.doFilter(request, response);
            } else {
                ofParts.doFilter(request, response, chain);
            }
        };
        try (WebServer server = new WebServer(batch, List.of(onlyParts), null, DISPATCHES)) {
            for (int i = 0; i < 2; i++) {
                sendBody(server, "", "/payments/batch");
                assertThat(runs).hasValue(paid);
            }
        }
    }

    @Test
    void requestThatIsDispatchedAsynchronouslyIsGuardedThoughSomethingInFrontHasSetAStatus() throws Exception {
        Filter throttle = (request, response, chain) -> {
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                ((HttpServletResponse) response).setStatus(503);
                request.startAsync().dispatch();
            } else {
                chain.doFilter(request, response);
            }
        };
        try (WebServer server = server(throttle)) {
            assertThat(send(server, "/payments/old", "Idempotency-Key", "a").statusCode())
                    .isEqualTo(201);
            assertThat(send(server, "/payments/old", "Idempotency-Key", "a").statusCode())
                    .isEqualTo(201);
        }
        assertThat(runs).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource({"throw, 500, 10", "refuse, 404, 10", "throw, 500, ''", "refuse, 404, ''"})
    void pageForAnErrorMayForwardToAView(String path, int status, String body) throws Exception {
        IdempotencyFilter ofAUser = IdempotencyFilter.builder(requests)
                .scope(request -> RequestScope.of(request.getHeader("X-User")))
                .build();
        try (WebServer server = new WebServer(payments(), List.of(ofAUser), null, DISPATCHES, "/payments/error")) {
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> answer = sendBody(server, body, "/payments/" + path, "Idempotency-Key", "a");
                assertThat(answer.statusCode()).isEqualTo(status);
                assertThat(answer.body()).isEqualTo("view guarded false");
            }
        }
        assertThat(storedRequests()).isEqualTo("0");
    }

    @Test
    void pageForARequestThatWasRefusedInFrontMayForwardToAView() throws Exception {
        Filter authentication = (request, response, chain) -> {
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                ((HttpServletResponse) response).sendError(401);
            } else {
                chain.doFilter(request, response);
            }
        };
        try (WebServer server = new WebServer(
                payments(), List.of(authentication, WebServer.users(), filter), null, DISPATCHES, "/payments/error")) {
            assertThat(send(server, "/payments/new").statusCode()).isEqualTo(401);
            HttpResponse<String> answer = send(server, "/payments/new", "Idempotency-Key", "a");
            assertThat(answer.statusCode()).isEqualTo(401);
            assertThat(answer.body()).isEqualTo("view guarded false");
        }
        assertThat(storedRequests()).isEqualTo("0");
    }

    /** Catches what the guarded servlet throws, and forwards. */
    private static Filter catching(String target) {
        return (request, response, chain) -> {
            try {
                chain.doFilter(request, response);
            } catch (IllegalStateException e) {
                request.getRequestDispatcher(target).forward(request, response);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"pay", "p%61y", "pay;jsessionid=1", "v1"})
    void requestThatHasFailedUnderItsKeyIsGuardedWhereItIsForwardedToItsServletAgain(String path) throws Exception {
        AtomicInteger tries = new AtomicInteger();
        Application failsAtFirst = (request, response) -> {
            if (tries.incrementAndGet() == 1) {
                throw new IllegalStateException("not yet");
            }
            response.getWriter().write("guarded " + IdempotencyFilter.isGuarded(request));
        };
        try (WebServer server = new WebServer(
                failsAtFirst,
                List.of(WebServer.users(), repeatable(), catching("/payments/pay"), filter),
                null,
                DISPATCHES)) {
            assertThat(send(server, "/payments/" + path, "Idempotency-Key", "a").body())
                    .isEqualTo("guarded true");
            send(server, "/payments/" + path, "Idempotency-Key", "a");
        }
        assertThat(tries).as("of the second request none").hasValue(2);
    }

    /** Lets the body be read again, as the page asks for. */
    private static Filter repeatable() {
        return (request, response, chain) -> {
            if (request.getDispatcherType() != DispatcherType.REQUEST) {
                chain.doFilter(request, response);
                return;
            }
            byte[] body = request.getInputStream().readAllBytes();
            chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public ServletInputStream getInputStream() {
                            return BufferedBody.stream(body);
                        }
                    },
                    response);
        };
    }

    /** As without the filter. */
    @Test
    void statusThatWasSetInFrontStays() throws Exception {
        Filter front = (request, response, chain) -> {
            ((HttpServletResponse) response).setStatus(202);
            chain.doFilter(request, response);
        };
        try (WebServer server =
                new WebServer(payments(), List.of(WebServer.users(), front, filter), null, DISPATCHES)) {
            for (int i = 0; i < 2; i++) {
                assertThat(send(server, "/payments/pay", "Idempotency-Key", "a").statusCode())
                        .isEqualTo(202);
            }
        }
        assertThat(runs).hasValue(1);
    }

    private static final String FORM = "application/x-www-form-urlencoded";

    private static final Application PARAMETERS = (request, response) -> {
        StringBuilder all = new StringBuilder();
        new TreeMap<>(request.getParameterMap())
                .forEach((name, values) -> all.append(name).append(Arrays.toString(values)));
        response.getWriter().write(all.toString());
    };

    private WebServer parameters(DispatcherType type, Filter... front) {
        List<Filter> filters = new ArrayList<>(List.of(WebServer.users()));
        filters.addAll(List.of(front));
        filters.addAll(List.of(dispatching(type), filter));
        return new WebServer(PARAMETERS, filters, null, DISPATCHES);
    }

    private HttpResponse<String> sendForm(WebServer server, String body) throws IOException, InterruptedException {
        return sendBody(server, body, "/payments/old?account=7", "Idempotency-Key", "a", "Content-Type", FORM);
    }

    @Test
    void formHasTheParametersOfTheQueryThatTheClientHasSent() throws Exception {
        try (WebServer server = parameters(DispatcherType.FORWARD)) {
            assertThat(sendForm(server, "amount=10&account=8").body()).isEqualTo("account[7, 8]amount[10]mode[1]");
            assertThat(sendForm(server, "amount=10&account=9").statusCode()).isEqualTo(422);
        }
    }

    @Test
    void formHasItsParametersOnceThoughItIsDispatchedAgain() throws Exception {
        try (WebServer server = parameters(DispatcherType.ASYNC)) {
            assertThat(sendForm(server, "amount=10").body()).isEqualTo("account[7]amount[10]");
        }
        Filter parses = (request, response, chain) -> {
            if (request.getDispatcherType() != DispatcherType.REQUEST) {
                chain.doFilter(request, response);
                return;
            }
            byte[] body = request.getInputStream().readAllBytes();
            Map<String, String[]> parameters = FormParameters.of("account=7", body, StandardCharsets.UTF_8);
            chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public Map<String, String[]> getParameterMap() {
                            return parameters;
                        }

                        @Override
                        public ServletInputStream getInputStream() {
                            return BufferedBody.stream(body);
                        }
                    },
                    response);
        };
        workshop.execute("DELETE FROM inbox_idempotency");
        try (WebServer server = parameters(DispatcherType.FORWARD, parses)) {
            assertThat(sendForm(server, "amount=10").body()).isEqualTo("account[7]amount[10]mode[1]");
        }
    }

    @Test
    void formWhoseBodyIsReadAlreadyAsAStreamFailsThoughTheQueryIsHandedOn() throws Exception {
        Filter signature = (request, response, chain) -> {
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                request.getInputStream().readAllBytes();
                String query = ((HttpServletRequest) request).getQueryString();
                request.getRequestDispatcher("/payments/new?" + query).forward(request, response);
            } else {
                chain.doFilter(request, response);
            }
        };
        try (WebServer server = server(signature)) {
            assertThat(sendForm(server, "amount=10").statusCode()).isEqualTo(500);
        }
        assertThat(storedRequests()).isEqualTo("0");
    }

    @Test
    void formWhoseBodyIsReadAlreadyAsAStreamFailsThoughItIsForwarded() throws Exception {
        Filter signature = (request, response, chain) -> {
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                request.getInputStream().readAllBytes();
            }
            chain.doFilter(request, response);
        };
        try (WebServer server = parameters(DispatcherType.FORWARD, signature)) {
            assertThat(sendForm(server, "amount=10").statusCode()).isEqualTo(500);
        }
        assertThat(storedRequests()).isEqualTo("0");
    }
}
