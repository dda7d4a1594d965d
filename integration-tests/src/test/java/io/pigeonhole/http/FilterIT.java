package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.RequestOutcome.Kind;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Workshop;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Two forms that differ in their bodies only would be the same one. */
    @Test
    void formWhoseBodyIsReadAlreadyAsAStreamFails() throws Exception {
        Filter signature = (request, response, chain) -> {
            request.setAttribute("body", new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            chain.doFilter(request, response);
        };
        Application echo = (request, response) -> response.getWriter().write("paid " + request.getAttribute("body"));
        try (WebServer server = server(echo, signature)) {
            assertThat(send(server, "a", FORM, "a=10").statusCode()).isEqualTo(500);
            assertThat(sendChunked(server, "a", FORM, "a=10").statusCode()).isEqualTo(500);
        }
        assertThat(requests.counts().of(Kind.EXECUTED)).isZero();
    }

    @Test
    void formThatSomethingInFrontHandsOnAgainIsNotHandledWithoutItsParameters() throws Exception {
        Filter again = (request, response, chain) -> {
            try {
                chain.doFilter(request, response);
            } catch (IllegalStateException e) {
                chain.doFilter(request, response);
            }
        };
        AtomicBoolean fails = new AtomicBoolean(true);
        Application application = (request, response) -> {
            if (fails.getAndSet(false)) {
                throw new IllegalStateException("not yet");
            }
            PARAMETERS.handle(request, response);
        };
        try (WebServer server = server(application, again)) {
            assertThat(send(server, "a", FORM, "a=10").statusCode()).isEqualTo(500);
            assertThat(send(server, "a", FORM, "a=10").body()).isEqualTo("1 10");
        }
    }

    /** As Spring's {@code FormContentFilter} does with forms of PUT and PATCH. */
    @Test
    void formOfWhichAWrapperAloneHasTheParametersFails() throws Exception {
        Filter parses = (request, response, chain) -> {
            byte[] body = request.getInputStream().readAllBytes();
            Map<String, String[]> parameters = FormParameters.of("q=1", body, StandardCharsets.UTF_8);
            chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public Map<String, String[]> getParameterMap() {
                            return parameters;
                        }

                        @Override
                        public String @Nullable [] getParameterValues(String name) {
                            return parameters.get(name);
                        }
                    },
                    response);
        };
        try (WebServer server = server(PARAMETERS, parses)) {
            assertThat(send(server, "a", FORM, "a=10").statusCode()).isEqualTo(500);
        }
        assertThat(requests.counts().of(Kind.EXECUTED)).isZero();
    }

    @Test
    void methodThatNoClientSendsIsRefused() {
        assertThatThrownBy(() -> IdempotencyFilter.builder(requests).methods("post"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("POST");
    }

    /** Of a wrapper for a log, say, which knows only what was set. */
    @Test
    void statusThatIsNoneInFrontIsNoStatus() throws Exception {
        Filter front = (request, response, chain) ->
                chain.doFilter(request, new HttpServletResponseWrapper((HttpServletResponse) response) {
                    @Override
                    public int getStatus() {
                        return 0;
                    }
                });
        try (WebServer server =
                server((request, response) -> response.getWriter().write("paid"), front)) {
            assertThat(send(server, "a", "text/plain", "10").statusCode()).isEqualTo(200);
            assertThat(send(server, "a", "text/plain", "10").body()).isEqualTo("paid");
        }
    }

    private HttpResponse<String> sendChunked(WebServer server, String key, String type, String body)
            throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(server.uri("/payments/?q=1"))
                        .header("X-User", "ann")
                        .header("Idempotency-Key", key)
                        .header("Content-Type", type)
                        .POST(BodyPublishers.ofInputStream(
                                () -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8))))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void requestWhoseBodyIsReadAlreadyFailsThoughItsLengthIsNotTold() throws Exception {
        Filter reader = (request, response, chain) -> {
            request.setAttribute("body", new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            chain.doFilter(request, response);
        };
        Application echo = (request, response) -> response.getWriter().write("paid " + request.getAttribute("body"));
        try (WebServer server = server(echo, reader)) {
            assertThat(sendChunked(server, "a", "text/plain", "10").statusCode())
                    .isEqualTo(500);
        }
        assertThat(requests.counts().of(Kind.EXECUTED)).isZero();
    }

    @Test
    void requestWhoseBodyIsReadInPartFails() throws Exception {
        Filter peek = (request, response, chain) -> {
            request.getInputStream().read();
            chain.doFilter(request, response);
        };
        try (WebServer server = server(PARAMETERS, peek)) {
            assertThat(send(server, "a", "text/plain", "10").statusCode()).isEqualTo(500);
        }
        assertThat(requests.counts().of(Kind.EXECUTED)).isZero();
    }

    @Test
    void bodyWhoseLengthIsNotToldMayBeEmpty() throws Exception {
        Application length = (request, response) ->
                response.getWriter().write("" + request.getInputStream().readAllBytes().length);
        try (WebServer server = server(length)) {
            assertThat(sendChunked(server, "a", "text/plain", "").body()).isEqualTo("0");
            assertThat(sendChunked(server, "b", "text/plain", "10").body()).isEqualTo("2");
            assertThat(sendChunked(server, "b", "text/plain", "11").statusCode())
                    .isEqualTo(422);
        }
    }

    @Test
    void requestThatNoHeaderSaysToHaveABodyIsHandled() throws Exception {
        Application length = (request, response) ->
                response.getWriter().write("" + request.getInputStream().readAllBytes().length);
        String raw =
                "POST /payments/ HTTP/1.1\r\nHost: x\r\nX-User: ann\r\nIdempotency-Key: a\r\nConnection: close\r\n\r\n";
        try (WebServer server = server(length);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(raw.getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void requestOfAUserWithoutANameIsRefused() throws Exception {
        for (String name : Arrays.asList(null, "", " ")) {
            Filter nameless = (request, response, chain) -> chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public Principal getUserPrincipal() {
                            return () -> name;
                        }
                    },
                    response);
            try (WebServer server = server(PARAMETERS, nameless)) {
                HttpResponse<String> answer = send(server, "a", "text/plain", "10");
                assertThat(answer.statusCode()).isEqualTo(403);
                assertThat(answer.body()).contains("idempotency-principal-required");
            }
        }
        assertThat(filter.refused()).isEqualTo(3);
    }

    @Test
    void requestOfNobodyIsRefusedUnlessKeysMayBeAnonymous() throws Exception {
        filter = IdempotencyFilter.builder(requests)
                .scope(request -> new RequestScope(null, null))
                .build();
        try (WebServer server = server(PARAMETERS)) {
            assertThat(send(server, "a", "text/plain", "10").statusCode()).isEqualTo(403);
        }
        filter = IdempotencyFilter.builder(requests)
                .scope(request -> new RequestScope("acme", null))
                .build();
        try (WebServer server = server(PARAMETERS)) {
            assertThat(send(server, "a", "text/plain", "10").statusCode()).isEqualTo(200);
        }
    }

    private static final String PARTS = "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n10\r\n--X--\r\n";

    /** Another node would go on without the parts, which are not stored. */
    @Test
    void requestOfSeveralPartsCannotBeInSteps() throws Exception {
        filter = IdempotencyFilter.builder(requests)
                .userPrincipals()
                .multipart(1_000)
                .inSteps(request -> request.getQueryString().equals("q=1"))
                .build();
        try (WebServer server = server(PARAMETERS)) {
            HttpResponse<String> answer = send(server, "a", "multipart/form-data; boundary=X", PARTS);
            assertThat(answer.statusCode()).isEqualTo(415);
            assertThat(answer.body()).contains("idempotency-multipart-not-supported");
        }
    }

    @Test
    void formThatWasReadInFrontCannotBeInSteps() throws Exception {
        filter = IdempotencyFilter.builder(requests)
                .userPrincipals()
                .inSteps(request -> true)
                .build();
        try (WebServer server = server(PARAMETERS, READS_PARAMETERS)) {
            assertThat(send(server, "a", FORM, "a=1").statusCode()).isEqualTo(500);
            assertThat(sendChunked(server, "a", FORM, "a=1").statusCode()).isEqualTo(500);
        }
        assertThat(workshop.ask("SELECT count(*) FROM inbox_idempotency")).isEqualTo("0");
        try (WebServer server = server(PARAMETERS)) {
            assertThat(send(server, "a", FORM, "a=1").body()).isEqualTo("1 1");
            assertThat(sendChunked(server, "b", FORM, "a=1").body()).isEqualTo("1 1");
        }
    }

    @Test
    void otherKindsOfPartsThanThoseOfFormsAreRefused() throws Exception {
        filter = IdempotencyFilter.builder(requests)
                .userPrincipals()
                .multipart(1_000)
                .build();
        try (WebServer server = server(PARAMETERS)) {
            HttpResponse<String> answer = send(server, "a", "multipart/mixed; boundary=X", PARTS);
            assertThat(answer.statusCode()).isEqualTo(415);
            assertThat(answer.body()).contains("idempotency-multipart-not-supported");
            assertThat(send(server, "a", "Multipart/Form-Data; boundary=X", PARTS)
                            .body())
                    .isEqualTo("1 10");
        }
    }

    /** The container names the charset of its own writer. */
    @ParameterizedTest
    @ValueSource(strings = {"application/hal+json", "application/xml", "text/plain", "text/xml", "application/json"})
    void charsetIsSaidAsTheContainerSaysIt(String type) throws Exception {
        Application application = (request, response) -> {
            response.setContentType(type);
            response.getWriter().write("Zo\u00eb");
        };
        try (WebServer server = server(application);
                WebServer plain = new WebServer(application, List.of(), null)) {
            HttpResponse<byte[]> guarded = sendForBytes(server);
            HttpResponse<byte[]> unguarded = sendForBytes(plain);
            assertThat(guarded.headers().firstValue("Content-Type"))
                    .isEqualTo(unguarded.headers().firstValue("Content-Type"));
            assertThat(guarded.body()).isEqualTo(unguarded.body());
        }
    }

    private HttpResponse<byte[]> sendForBytes(WebServer server) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(server.uri("/payments/"))
                        .header("X-User", "ann")
                        .header("Idempotency-Key", "a")
                        .POST(BodyPublishers.ofString("10"))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "not a name"})
    void charsetOfARequestThatNobodyKnowsIsNoErrorOfTheServer(String charset) throws Exception {
        try (WebServer server = server(PARAMETERS)) {
            assertThat(send(server, "a", FORM + ";charset=" + charset, "a=%E4").body())
                    .isEqualTo("1 \u00e4");
        }
        Application reading = (request, response) ->
                response.getWriter().write(request.getReader().readLine());
        try (WebServer server = server(reading)) {
            assertThat(send(server, "b", "text/plain;charset=" + charset, "10").body())
                    .isEqualTo("10");
        }
    }

    @Test
    void statusAndCookieThatTheContainerWouldRefuseAreRefusedBeforeTheCommit() throws Exception {
        Application application = (request, response) -> {
            IdempotencyFilter.begin(request);
            if (request.getReader().readLine().equals("status")) {
                response.setStatus(0);
            } else {
                response.addCookie(new Cookie("c", "a b;\u00e9"));
            }
        };
        try (WebServer server = server(application)) {
            assertThat(send(server, "a", "text/plain", "status").statusCode()).isEqualTo(500);
            assertThat(send(server, "b", "text/plain", "cookie").statusCode()).isEqualTo(500);
        }
        assertThat(requests.counts().of(Kind.EXECUTED)).isZero();
        assertThat(workshop.ask("SELECT count(*) FROM inbox_idempotency")).isEqualTo("0");
    }

    @Test
    void languageIsGivenAgain() throws Exception {
        Application application = (request, response) -> {
            response.setLocale(Locale.JAPANESE);
            response.setContentType("text/plain");
            response.getWriter().write("\u65e5\u672c");
        };
        try (WebServer server = server(application)) {
            HttpResponse<byte[]> first = sendForBytes(server);
            HttpResponse<byte[]> retry = sendForBytes(server);
            assertThat(retry.headers().firstValue("Idempotent-Replayed")).isPresent();
            assertThat(first.headers().allValues("Content-Language")).containsExactly("ja");
            assertThat(retry.headers().allValues("Content-Language")).containsExactly("ja");
            assertThat(retry.headers().allValues("Content-Type"))
                    .isEqualTo(first.headers().allValues("Content-Type"));
            assertThat(retry.body()).isEqualTo(first.body());
        }
    }

    @Test
    void trailerFieldsOfAResponseThatWasRolledBackAreNotSent() throws Exception {
        AtomicBoolean asked = new AtomicBoolean();
        Application application = (request, response) -> {
            response.setTrailerFields(() -> {
                asked.set(true);
                return Map.of("X-Sum", "1");
            });
            response.getWriter().write("done");
            if (request.getReader().readLine().equals("fail")) {
                throw new IllegalStateException("no");
            }
        };
        try (WebServer server = server(application)) {
            assertThat(send(server, "a", "text/plain", "fail").statusCode()).isEqualTo(500);
            assertThat(asked).isFalse();
            assertThat(send(server, "b", "text/plain", "10").body()).isEqualTo("done");
            assertThat(asked).isTrue();
        }
    }

    @Test
    void sessionInThePathIsNoPartOfTheRequest() throws Exception {
        try (WebServer server = server(PARAMETERS)) {
            List<HttpResponse<String>> answers = new ArrayList<>();
            for (String path : List.of("/payments/1;jsessionid=1", "/payments/1", "/payments/1;JSESSIONID=2?q=")) {
                answers.add(client.send(
                        HttpRequest.newBuilder(server.uri(path))
                                .header("X-User", "ann")
                                .header("Idempotency-Key", "a")
                                .POST(BodyPublishers.ofString("10"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString()));
            }
            assertThat(answers.get(0).statusCode()).isEqualTo(200);
            assertThat(answers.get(1).headers().firstValue("Idempotent-Replayed"))
                    .isPresent();
            assertThat(answers.get(2).statusCode()).isEqualTo(422);
        }
    }

    @Test
    void redirectFromBeforeTheApplicationHasBegunIsNotStored() throws Exception {
        AtomicBoolean signedIn = new AtomicBoolean();
        try (WebServer server = server((request, response) -> {
            if (signedIn.get()) {
                response.setStatus(201);
            } else {
                response.sendRedirect("/login");
            }
        })) {
            assertThat(send(server, "a", "text/plain", "10").statusCode()).isEqualTo(302);
            signedIn.set(true);
            assertThat(send(server, "a", "text/plain", "10").statusCode()).isEqualTo(201);
        }
    }

    private IdempotencyFilter filterThatStoresAll() {
        requests = IdempotentRequests.builder(
                        JdbcStore.create(workshop.dataSource()).idempotency(), "all")
                .storesFailures(true)
                .build();
        return IdempotencyFilter.builder(requests)
                .userPrincipals()
                .store(StorePolicy.ALL)
                .build();
    }

    @Test
    void failureFromBeforeTheApplicationHasBegunIsNotStored() throws Exception {
        filter = filterThatStoresAll();
        AtomicBoolean fails = new AtomicBoolean(true);
        try (WebServer server = server((request, response) -> {
            String body = request.getReader().readLine();
            if (fails.get() && body.equals("throw")) {
                throw new IllegalStateException("no");
            }
            response.setStatus(fails.get() ? 500 : 201);
        })) {
            for (String body : List.of("throw", "answer")) {
                fails.set(true);
                assertThat(send(server, body, "text/plain", body).statusCode()).isEqualTo(500);
                fails.set(false);
                assertThat(send(server, body, "text/plain", body).statusCode()).isEqualTo(201);
            }
        }
    }

    /** Frameworks wrap what controllers throw. */
    @Test
    void failureThatPassesIsNotStoredThoughItIsWrapped() throws Exception {
        filter = filterThatStoresAll();
        Map<String, RuntimeException> failures = Map.of(
                "busy", new RetryableException("busy", null),
                "unknown", new OutcomeUnknownException("the connection was lost", null),
                "aborted", new StoreException(ErrorClass.ABORTED, "the connection was lost", null));
        AtomicBoolean fails = new AtomicBoolean();
        try (WebServer server = server((request, response) -> {
            String body = request.getReader().readLine();
            IdempotencyFilter.begin(request);
            if (fails.get()) {
                throw new ServletException("Request processing failed", failures.get(body));
            }
            response.setStatus(201);
        })) {
            for (String body : failures.keySet()) {
                fails.set(true);
                assertThat(send(server, body, "text/plain", body).statusCode())
                        .isEqualTo(body.equals("aborted") ? 500 : 503);
                fails.set(false);
                assertThat(send(server, body, "text/plain", body).statusCode()).isEqualTo(201);
            }
        }
    }

    /** As the page says; without the savepoint the database ends the transaction. */
    @Test
    void violationBehindASavepointIsAnsweredAndStored() throws Exception {
        workshop.execute("CREATE TABLE account (name text PRIMARY KEY)");
        workshop.execute("INSERT INTO account VALUES ('ann')");
        Application application = (request, response) -> {
            boolean careful = request.getReader().readLine().equals("savepoint");
            Connection connection =
                    IdempotencyFilter.context(request, JdbcContext.class).connection();
            Savepoint before = careful ? connection.setSavepoint("account") : null;
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO account VALUES ('ann')");
            } catch (SQLException e) {
                if (before != null) {
                    connection.rollback(before);
                }
                response.sendError(409, "there is one");
            }
        };
        try (WebServer server = server(application)) {
            assertThat(send(server, "a", "text/plain", "nothing").statusCode()).isEqualTo(500);
            for (int i = 0; i < 2; i++) {
                assertThat(send(server, "b", "text/plain", "savepoint").statusCode())
                        .isEqualTo(409);
            }
        }
        assertThat(requests.counts().of(Kind.REPLAYED)).isEqualTo(1);
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
        try (WebServer server = server((request, response) -> {
            IdempotencyFilter.begin(request);
            response.sendRedirect("/payments/1");
        })) {
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

    @Test
    void headersAndCookiesOfOthersStay() throws Exception {
        Filter front = (request, response, chain) -> {
            HttpServletResponse answer = (HttpServletResponse) response;
            answer.addHeader("Vary", "Origin");
            answer.addCookie(new Cookie("session", "1"));
            answer.addHeader("Link", "</terms>");
            chain.doFilter(request, response);
        };
        AtomicReference<Collection<String>> seen = new AtomicReference<>();
        Application application = (request, response) -> {
            response.addHeader("Vary", "Accept");
            response.addHeader("Set-Cookie", "basket=1");
            response.addHeader("Link", "</payments/1>");
            seen.set(response.getHeaders("Vary"));
        };
        try (WebServer server = server(application, front)) {
            HttpResponse<String> first = send(server, "a", "text/plain", "10");
            assertThat(first.headers().allValues("Vary")).containsExactly("Origin", "Accept");
            assertThat(first.headers().allValues("Set-Cookie")).containsExactly("session=1", "basket=1");
            assertThat(first.headers().allValues("Link")).containsExactly("</terms>", "</payments/1>");
            assertThat(seen.get()).containsExactly("Origin", "Accept");

            HttpResponse<String> retry = send(server, "a", "text/plain", "10");
            assertThat(retry.headers().firstValue("Idempotent-Replayed")).isPresent();
            assertThat(retry.headers().allValues("Link")).containsExactly("</terms>", "</payments/1>");
            assertThat(retry.headers().allValues("Set-Cookie")).containsExactly("session=1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"throw", "error"})
    void responseThatBecameAProblemHasTheHeadersOfItsReplay(String how) throws Exception {
        requests = IdempotentRequests.builder(
                        JdbcStore.create(workshop.dataSource()).idempotency(), "all")
                .storesFailures(true)
                .build();
        filter = IdempotencyFilter.builder(requests)
                .userPrincipals()
                .store(StorePolicy.ALL)
                .build();
        Application application = (request, response) -> {
            IdempotencyFilter.begin(request);
            response.setHeader("Content-Encoding", "gzip");
            response.setHeader("Content-Disposition", "attachment");
            response.setHeader("Location", "/payments/1");
            response.setHeader("ETag", "\"1\"");
            response.getOutputStream().write(31);
            if (how.equals("throw")) {
                throw new IllegalStateException("no");
            }
            response.sendError(409, "taken");
        };
        try (WebServer server = server(application)) {
            HttpResponse<String> first = send(server, "a", "text/plain", "10");
            HttpResponse<String> retry = send(server, "a", "text/plain", "10");
            assertThat(retry.headers().firstValue("Idempotent-Replayed")).isPresent();
            assertThat(retry.body()).isEqualTo(first.body()).startsWith("{");
            for (String name : List.of("Content-Type", "Content-Encoding", "Content-Disposition", "Location", "ETag")) {
                assertThat(first.headers().allValues(name))
                        .as(name)
                        .isEqualTo(retry.headers().allValues(name));
            }
            assertThat(first.headers().firstValue("Content-Encoding")).isEmpty();
        }
    }

    @Test
    void responseThatDoesNotFitFailsThoughTheApplicationHidesThat() throws Exception {
        filter = IdempotencyFilter.builder(requests)
                .userPrincipals()
                .largestResponse(20_000)
                .build();
        Application application = (request, response) -> {
            IdempotencyFilter.begin(request);
            try {
                response.getWriter().write("x".repeat(10_000));
                response.getWriter().write("x".repeat(30_000));
            } catch (IllegalStateException e) {
                response.setStatus(201);
            }
        };
        try (WebServer server = server(application)) {
            assertThat(send(server, "a", "text/plain", "10").statusCode()).isEqualTo(500);
        }
        assertThat(workshop.ask("SELECT count(*) FROM inbox_idempotency")).isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"writer", "stream"})
    void forwardDropsWhatWasWrittenBeforeAndBehind(String how) throws Exception {
        Application application = (request, response) -> {
            if (request.getRequestURI().endsWith("/view")) {
                if (how.equals("writer")) {
                    response.getWriter().write("view");
                } else {
                    response.getOutputStream().print("view");
                }
                return;
            }
            PrintWriter writer = response.getWriter();
            writer.write("before");
            request.getRequestDispatcher("/payments/view").forward(request, response);
            writer.write("behind");
            writer.flush();
        };
        try (WebServer server = server(application);
                WebServer plain = new WebServer(application, List.of(), null)) {
            assertThat(send(plain, "a", "text/plain", "10").body()).isEqualTo("view");
            for (int i = 0; i < 2; i++) {
                assertThat(send(server, "a", "text/plain", "10").body()).isEqualTo("view");
            }
        }
    }

    /** Such as one that takes a page from another servlet, and writes it into its own. */
    @Test
    void writerThatWasMadeBeforeAForwardIsHeardBehindIt() throws Exception {
        Application application = (request, response) -> {
            if (request.getRequestURI().endsWith("/view")) {
                response.getWriter().write("view");
                return;
            }
            PrintWriter writer = response.getWriter();
            StringWriter page = new StringWriter();
            PrintWriter toPage = new PrintWriter(page);
            request.getRequestDispatcher("/payments/view").forward(request, new HttpServletResponseWrapper(response) {
                @Override
                public PrintWriter getWriter() {
                    return toPage;
                }
            });
            writer.write("<" + page + ">");
        };
        try (WebServer server = server(application)) {
            for (int i = 0; i < 2; i++) {
                assertThat(send(server, "a", "text/plain", "10").body()).contains("<view>");
            }
        }
    }

    @Test
    void writerThatWasMadeBeforeAResetIsHeardBehindIt() throws Exception {
        Application application = (request, response) -> {
            PrintWriter writer = response.getWriter();
            writer.write("before");
            response.reset();
            writer.write("behind");
        };
        try (WebServer server = server(application)) {
            assertThat(send(server, "a", "text/plain", "10").body()).isEqualTo("behind");
        }
    }

    @Test
    void formWhoseParametersWereReadIsHandledThoughItsQuerySaysTheSame() throws Exception {
        Filter reads = (request, response, chain) -> {
            request.getParameter("q");
            chain.doFilter(request, response);
        };
        try (WebServer server = server(PARAMETERS, reads)) {
            assertThat(send(server, "a", FORM, "q=1").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void nameOfAParameterIsTheSameHoweverItIsEncoded() throws Exception {
        try (WebServer server = server(PARAMETERS)) {
            List<Integer> answers = new ArrayList<>();
            for (String query : List.of("q=1&%61=2&a=3", "%61=2&q=1&a=3", "a=3&%61=2&q=1")) {
                answers.add(client.send(
                                HttpRequest.newBuilder(server.uri("/payments/?" + query))
                                        .header("X-User", "ann")
                                        .header("Idempotency-Key", "a")
                                        .POST(BodyPublishers.ofString("10"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .statusCode());
            }
            assertThat(answers).containsExactly(200, 200, 422);
        }
    }
}
