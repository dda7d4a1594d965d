package io.pigeonhole.http;

import static io.pigeonhole.http.HttpLab.header;
import static io.pigeonhole.http.HttpLab.isReplayed;
import static io.pigeonhole.http.HttpLab.payment;
import static io.pigeonhole.http.HttpLab.post;
import static io.pigeonhole.http.HttpLab.text;
import static io.pigeonhole.http.HttpLab.to;
import static io.pigeonhole.http.HttpLab.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestIdentity;
import io.pigeonhole.core.idempotency.RequestOutcome.Kind;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.core.idempotency.ResponseProtection;
import io.pigeonhole.core.idempotency.StepHandler;
import io.pigeonhole.core.idempotency.Steps;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.jdbc.JdbcContext;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.ee10.servlet.security.ConstraintMapping;
import org.eclipse.jetty.ee10.servlet.security.ConstraintSecurityHandler;
import org.eclipse.jetty.security.Constraint;
import org.eclipse.jetty.security.HashLoginService;
import org.eclipse.jetty.security.UserStore;
import org.eclipse.jetty.security.authentication.BasicAuthenticator;
import org.eclipse.jetty.util.security.Password;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * H01 to H24, one test each, over HTTP against Jetty and PostgreSQL, in each profile. What they observe is {@code docs/conformance.md}; with
 * {@code -Dconformance.record=true} it is written anew.
 */
@ParameterizedClass
@MethodSource("profiles")
class ConformanceIT {
    private static final ConformanceTable TABLE = new ConformanceTable();
    private static final Path PAGE = Path.of("..", "docs", "conformance.md");
    private static final String BEGIN = "<!-- begin of what ConformanceIT has observed -->\n";
    private static final String END = "<!-- end -->\n";
    private static final long LONGEST_SECONDS = 30;

    /** One of them in a short run. */
    static Stream<IdempotencyProfile> profiles() {
        boolean isFull = "full".equals(System.getProperty("pigeonhole.matrix"));
        return isFull ? Stream.of(IdempotencyProfile.values()) : Stream.of(IdempotencyProfile.DRAFT);
    }

    private final IdempotencyProfile profile;
    private final boolean isDraft;
    private final HttpLab lab;
    private final AtomicInteger calls = new AtomicInteger();

    ConformanceIT(IdempotencyProfile profile) {
        this.profile = profile;
        this.isDraft = profile == IdempotencyProfile.DRAFT;
        this.lab = new HttpLab(profile);
    }

    @BeforeEach
    void countCalls() {
        handle(payment());
    }

    private void handle(Application application) {
        lab.application = (request, response) -> {
            calls.incrementAndGet();
            application.handle(request, response);
        };
    }

    @AfterEach
    void close() {
        lab.close();
    }

    @AfterAll
    static void table() throws IOException {
        System.out.println(
                "\n| | | draft | Stripe v1 | Stripe v2 |\n| --- | --- | --- | --- | --- |\n" + TABLE.markdown());
        if (!TABLE.isComplete()) {
            return;
        }
        String page = Files.readString(PAGE);
        String head = page.substring(0, page.indexOf(BEGIN) + BEGIN.length());
        String tail = page.substring(page.indexOf(END));
        String made = head + "\n| | what | draft | Stripe v1 | Stripe v2 |\n| --- | --- | --- | --- | --- |\n"
                + TABLE.markdown() + "\n" + tail;
        if (Boolean.getBoolean("conformance.record")) {
            Files.writeString(PAGE, made);
            return;
        }
        assertThat(made)
                .as("docs/conformance.md; record it with -Dconformance.record=true")
                .isEqualTo(page);
    }

    private void note(String line, String cell) {
        TABLE.note(line, profile, cell);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private static <T> T result(CompletableFuture<T> future) throws Exception {
        return future.get(LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    private CompletableFuture<HttpResponse<byte[]>> sendAsync(HttpRequest.Builder request) {
        return lab.client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private void assertProblem(HttpResponse<byte[]> response, int status, String type) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(text(response)).contains("\"type\":\"urn:pigeonhole:problem:" + type + "\"", "\"status\":" + status);
    }

    @Test
    void h01KeyIsAStringOrABareToken() throws Exception {
        HttpLab.Node node = lab.node();
        assertThat(lab.send(post(node, "\"abc\"", "10")).statusCode()).isEqualTo(201);
        assertThat(isReplayed(lab.send(post(node, "abc", "10")))).isTrue();
        assertThat(isReplayed(lab.send(post(node, "abc", "10").header("Idempotency-Key", "\"abc\""))))
                .isTrue();

        for (String key : List.of("", "\"\"", "a".repeat(256), "\"open", "two words", "\"a\" b")) {
            assertProblem(lab.send(post(node, key, "10")), 400, "idempotency-key-invalid");
        }
        assertProblem(
                lab.send(post(node, "abc", "10").header("Idempotency-Key", "abd")), 400, "idempotency-key-invalid");
        assertThat(lab.send(post(node, "a".repeat(255), "10")).statusCode()).isEqualTo(201);

        HttpLab.Node strict = lab.node(filter -> filter.strict(true));
        assertProblem(lab.send(post(strict, "abc", "10")), 400, "idempotency-key-invalid");
        assertThat(isReplayed(lab.send(post(strict, "\"abc\"", "10")))).isTrue();
        assertThat(calls).hasValue(2);
        note("H01", "both; 400");
    }

    @Test
    void h02RequestWithoutKeyIsRefusedOrPassed() throws Exception {
        HttpLab.Node node = lab.node();
        handle((request, response) -> response.setStatus(IdempotencyFilter.isGuarded(request) ? 500 : 204));
        HttpResponse<byte[]> response = lab.send(to(node, "/payments/").POST(BodyPublishers.ofString("10")));

        if (isDraft) {
            assertProblem(response, 400, "idempotency-key-required");
            assertThat(node.filter().refused()).isEqualTo(1);
            HttpLab.Node documented =
                    lab.node(filter -> filter.documentation(URI.create("https://api.example.com/keys")));
            assertThat(header(lab.send(to(documented, "/payments/").POST(BodyPublishers.noBody())), "Link"))
                    .isEqualTo("<https://api.example.com/keys>; rel=\"help\"");
            note("H02", "400 with a link");
        } else {
            assertThat(response.statusCode()).isEqualTo(204);
            assertThat(node.filter().withoutKey()).isEqualTo(1);
            note("H02", "handled without one, and counted");
        }
    }

    @Test
    void h03KeyChangeAndResponseAreOneTransaction() throws Exception {
        HttpLab.Node node = lab.node();
        handle((request, response) -> {
            write(request, "paid");
            assertThat(lab.effects()).isEmpty();
            assertThat(lab.storedRequests()).isZero();
            response.setStatus(201);
        });
        lab.send(post(node, "a", "10"));
        assertThat(lab.effects()).containsExactly("paid");
        assertThat(lab.storedRequests()).isEqualTo(1);

        handle((request, response) -> {
            write(request, "lost");
            response.sendError(503);
        });
        lab.send(post(node, "b", "10"));
        assertThat(lab.effects()).containsExactly("paid");
        assertThat(lab.storedRequests()).isEqualTo(1);
        note("H03", "yes");
    }

    @Test
    void h04RetryGetsTheSameResponse() throws Exception {
        HttpLab.Node node = lab.node(filter -> filter.storedHeaders("X-Request-Cost"));
        handle((request, response) -> {
            write(request, "paid");
            response.setStatus(201);
            response.setContentType("application/json");
            response.setHeader("Location", "/payments/1");
            response.setHeader("ETag", "\"v1\"");
            response.setHeader("X-Request-Cost", "3");
            response.setHeader("X-Trace", "t1");
            response.addCookie(new Cookie("session", "secret"));
            response.getOutputStream().write("{\"id\":1}".getBytes(StandardCharsets.UTF_8));
        });
        HttpResponse<byte[]> first = lab.send(post(node, "a", "10"));
        HttpResponse<byte[]> retry = lab.send(post(node, "a", "10"));

        assertThat(isReplayed(first)).isFalse();
        assertThat(header(first, "Set-Cookie")).contains("secret");
        assertThat(header(first, "X-Trace")).isEqualTo("t1");
        assertThat(header(retry, "Idempotent-Replayed")).isEqualTo("true");
        assertThat(retry.statusCode()).isEqualTo(first.statusCode()).isEqualTo(201);
        assertThat(retry.body()).isEqualTo(first.body()).isEqualTo("{\"id\":1}".getBytes(StandardCharsets.UTF_8));
        for (String name : List.of("Content-Type", "Location", "ETag", "X-Request-Cost")) {
            assertThat(header(retry, name)).isEqualTo(header(first, name)).isNotEmpty();
        }
        assertThat(header(retry, "Set-Cookie")).isEmpty();
        assertThat(header(retry, "X-Trace")).isEmpty();
        assertThat(calls).hasValue(1);
        assertThat(lab.effects()).containsExactly("paid");
        assertThatThrownBy(() -> lab.node(filter -> filter.storedHeaders("Set-Cookie")))
                .isInstanceOf(IllegalArgumentException.class);
        note("H04", "yes");
    }

    @Test
    void h05RequestMeanwhileIsToldSoOrWaits() throws Exception {
        HttpLab.Node node = lab.node();
        HttpLab.Node other = lab.node();
        HttpLab.Node waiting = lab.node(
                requests -> requests.concurrentDuplicateTimeout(Duration.ofSeconds(LONGEST_SECONDS)), filter -> filter);
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        handle((request, response) -> {
            handling.countDown();
            await(go);
            payment().handle(request, response);
        });
        CompletableFuture<HttpResponse<byte[]>> first = sendAsync(post(node, "a", "10"));
        await(handling);
        for (HttpLab.Node each : List.of(node, other)) {
            HttpResponse<byte[]> meanwhile = lab.send(post(each, "a", "10"));
            assertProblem(meanwhile, 409, "idempotency-key-in-progress");
            assertThat(header(meanwhile, "Retry-After")).isEqualTo("1");
        }
        CompletableFuture<HttpResponse<byte[]>> waited = sendAsync(post(waiting, "a", "10"));
        go.countDown();

        assertThat(result(first).statusCode()).isEqualTo(201);
        assertThat(isReplayed(result(waited))).isTrue();
        assertThat(calls).hasValue(1);
        note("H05", "409 with `Retry-After`");
    }

    @Test
    void h06KeyWithAnotherRequestIsRefused() throws Exception {
        HttpLab.Node node = lab.node();
        lab.send(post(node, "a", "10"));

        assertProblem(lab.send(post(node, "a", "11")), isDraft ? 422 : 400, "idempotency-key-reused");
        assertThat(isReplayed(lab.send(post(node, "a", "10")))).isTrue();
        assertThat(calls).hasValue(1);
        note("H06", isDraft ? "422" : "400");
    }

    @Test
    void h07WhatIsComparedIsTheWholeRequest() throws Exception {
        HttpLab.Node node = lab.node(filter -> filter.fingerprintHeaders("API-Version")
                .canonicalizer(BodyCanonicalizer.json())
                .largestRequest(100));
        HttpRequest.Builder json = json(node, "/payments/?a=1&b=2", "{\"amount\":10,\"to\":\"bob\"}", "1");
        assertThat(lab.send(json).statusCode()).isEqualTo(201);
        assertThat(isReplayed(
                        lab.send(json(node, "/payments/?b=2&a=1", "{ \"to\": \"b\\u006fb\", \"amount\": 1e1 }", "1"))))
                .isTrue();
        List<HttpRequest.Builder> others = List.of(
                json(node, "/payments/?a=1&b=2", "{\"amount\":11,\"to\":\"bob\"}", "1"),
                json(node, "/payments/?a=1&b=3", "{\"amount\":10,\"to\":\"bob\"}", "1"),
                json(node, "/payments/7?a=1&b=2", "{\"amount\":10,\"to\":\"bob\"}", "1"),
                json(node, "/payments/?a=1&b=2", "{\"amount\":10,\"to\":\"bob\"}", "2"));
        for (HttpRequest.Builder other : others) {
            assertProblem(lab.send(other), isDraft ? 422 : 400, "idempotency-key-reused");
        }
        assertProblem(lab.send(post(node, "b", "x".repeat(101))), 413, "idempotency-request-too-large");
        assertProblem(
                lab.send(to(node, "/payments/")
                        .header("Idempotency-Key", "c")
                        .POST(BodyPublishers.fromPublisher(BodyPublishers.ofString("x".repeat(101))))),
                413,
                "idempotency-request-too-large");
        assertThat(calls).hasValue(1);

        assertProblem(lab.send(parts(node, "one")), 415, "idempotency-multipart-not-supported");
        HttpLab.Node multipart = lab.node(filter -> filter.multipart(1000));
        handle((request, response) -> {
            write(request, new String(request.getPart("file").getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            response.setStatus(201);
        });
        assertThat(lab.send(parts(multipart, "one")).statusCode()).isEqualTo(201);
        assertThat(isReplayed(lab.send(parts(multipart, "another boundary")))).isTrue();
        note("H07", "yes; 413; several parts as an option");
    }

    private static HttpRequest.Builder json(HttpLab.Node node, String path, String body, String version) {
        return to(node, path)
                .header("Idempotency-Key", "a")
                .header("Content-Type", "application/json")
                .header("API-Version", version)
                .POST(BodyPublishers.ofString(body));
    }

    private static HttpRequest.Builder parts(HttpLab.Node node, String boundary) {
        String mark = boundary.replace(' ', '-');
        return to(node, "/payments/")
                .header("Idempotency-Key", "parts")
                .header("Content-Type", "multipart/form-data; boundary=" + mark)
                .POST(BodyPublishers.ofString("--" + mark
                        + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ncontent\r\n--"
                        + mark
                        + "--\r\n"));
    }

    @Test
    void h08KeysBelongToTheirUsers() throws Exception {
        HttpLab.Node node = lab.node();
        lab.send(post(node, "a", "10"));
        HttpResponse<byte[]> bobs = lab.send(post(node, "a", "10").setHeader("X-User", "bob"));

        assertThat(bobs.statusCode()).isEqualTo(201);
        assertThat(isReplayed(bobs)).isFalse();
        assertThat(calls).hasValue(2);
        HttpRequest.Builder nobodys = HttpRequest.newBuilder(node.server().uri("/payments/"))
                .header("Idempotency-Key", "a")
                .POST(BodyPublishers.ofString("10"));
        assertProblem(lab.send(nobodys), 403, "idempotency-principal-required");
        assertThatThrownBy(() -> IdempotencyFilter.builder(node.requests()).build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("anonymous()");
        HttpLab.Node anonymous = lab.node(IdempotencyFilterBuilder::anonymous);
        assertThat(lab.send(post(anonymous, "z", "10")).statusCode()).isEqualTo(500);
        assertThat(lab.send(HttpRequest.newBuilder(anonymous.server().uri("/payments/"))
                                .header("Idempotency-Key", "z")
                                .POST(BodyPublishers.ofString("10")))
                        .statusCode())
                .isEqualTo(201);
        note("H08", "yes; 403");
    }

    @Test
    void h09WhoMayNotSendTheRequestIsNotGivenTheResponse() throws Exception {
        UserStore users = new UserStore();
        users.addUser("ann", new Password("secret"), new String[] {"payer"});
        HashLoginService logins = new HashLoginService("test");
        logins.setUserStore(users);
        ConstraintSecurityHandler security = new ConstraintSecurityHandler();
        security.setAuthenticator(new BasicAuthenticator());
        security.setLoginService(logins);
        ConstraintMapping payers = new ConstraintMapping();
        payers.setPathSpec("/payments/*");
        payers.setConstraint(Constraint.from("payer"));
        security.addConstraintMapping(payers);
        List<Boolean> allowed = new ArrayList<>(List.of(true, false));
        HttpLab.Node node =
                lab.node(4, requests -> requests, filter -> filter.replayGuard(request -> allowed.remove(0)), security);
        HttpRequest.Builder paying = post(node, "a", "10").header("Authorization", basic("ann:secret"));

        assertThat(lab.send(post(node, "a", "10")).statusCode()).isEqualTo(401);
        assertThat(lab.send(paying).statusCode()).isEqualTo(201);
        assertThat(isReplayed(lab.send(paying))).isTrue();
        assertProblem(lab.send(paying), 403, "idempotency-replay-refused");
        assertThat(lab.send(post(node, "a", "10")).statusCode()).isEqualTo(401);
        users.addUser("ann", new Password("secret"), new String[] {"reader"});
        HttpResponse<byte[]> later = lab.send(paying);
        assertThat(later.statusCode()).isEqualTo(403);
        assertThat(text(later)).doesNotContain("paid");
        assertThat(calls).hasValue(1);
        note("H09", "401, 403");
    }

    private static String basic(String login) {
        return "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void h10WhatIsAnsweredBeforeTheApplicationBeginsIsNotStored() throws Exception {
        HttpLab.Node node = lab.node();
        int expected = 0;
        for (int status : List.of(400, 401, 403, 404, 405, 406, 415, 422, 429, 503)) {
            for (int i = 0; i < 2; i++) {
                handle((request, response) -> response.setStatus(status));
                HttpResponse<byte[]> response = lab.send(post(node, "before" + status, "10"));
                assertThat(response.statusCode()).isEqualTo(status);
                assertThat(isReplayed(response)).isFalse();
                expected++;
                assertThat(calls).hasValue(expected);
            }
        }
        for (int status : List.of(401, 403, 405, 415, 429, 503)) {
            for (int i = 0; i < 2; i++) {
                handle((request, response) -> {
                    write(request, "lost");
                    response.sendError(status);
                });
                assertThat(lab.send(post(node, "within" + status, "10")).statusCode())
                        .isEqualTo(status);
                expected++;
                assertThat(calls).hasValue(expected);
            }
        }
        assertThat(lab.effects()).isEmpty();
        assertThat(lab.storedRequests()).isZero();
        note("H10", "yes");
    }

    @Test
    void h11ErrorOfTheClientThatTheApplicationAnswers() throws Exception {
        HttpLab.Node node = lab.node();
        handle((request, response) -> {
            write(request, "declined");
            response.setStatus(402);
            response.setContentType("application/json");
            response.getWriter().write("{\"declined\":true}");
        });
        HttpResponse<byte[]> first = lab.send(post(node, "a", "10"));
        HttpResponse<byte[]> retry = lab.send(post(node, "a", "10"));

        assertThat(first.statusCode()).isEqualTo(402);
        assertThat(retry.statusCode()).isEqualTo(402);
        assertThat(retry.body()).isEqualTo(first.body());
        boolean isStored = profile != IdempotencyProfile.STRIPE_V2;
        assertThat(isReplayed(retry)).isEqualTo(isStored);
        assertThat(calls).hasValue(isStored ? 1 : 2);
        assertThat(lab.effects()).hasSize(isStored ? 1 : 0);

        handle((request, response) -> {
            IdempotencyFilter.begin(request);
            response.sendError(HttpServletResponse.SC_CONFLICT, "sold \"out\"");
        });
        HttpResponse<byte[]> sold = lab.send(post(node, "b", "10"));
        assertThat(sold.statusCode()).isEqualTo(409);
        if (isStored) {
            assertThat(text(sold)).contains("sold \\\"out\\\"");
            assertThat(lab.send(post(node, "b", "10")).body()).isEqualTo(sold.body());
        }
        note("H11", isStored ? "stored, with what was written" : "rolled back, handled anew");
    }

    @Test
    void h12ExceptionRollsBack() throws Exception {
        HttpLab.Node node = lab.node();
        handle((request, response) -> {
            write(request, "lost");
            throw new IllegalStateException("no");
        });
        HttpResponse<byte[]> first = lab.send(post(node, "a", "10"));
        assertThat(first.statusCode()).isEqualTo(500);
        assertThat(lab.effects()).isEmpty();

        handle(payment());
        HttpResponse<byte[]> retry = lab.send(post(node, "a", "10"));
        if (profile == IdempotencyProfile.STRIPE_V1) {
            assertProblem(first, 500, "idempotency-request-failed");
            assertThat(retry.statusCode()).isEqualTo(500);
            assertThat(retry.body()).isEqualTo(first.body());
            assertThat(isReplayed(retry)).isTrue();
            assertThat(lab.effects()).isEmpty();
            note("H12", "500 is stored and given again");
        } else {
            assertThat(retry.statusCode()).isEqualTo(201);
            assertThat(lab.effects()).containsExactly("10");
            note("H12", "handled anew");
        }
    }

    @Test
    void h13KilledProcessLeavesAllOrNothing() throws Exception {
        HttpLab.Node node = lab.node();
        DyingServer.start(lab, profile, DyingServer.Point.BEFORE_COMMIT).killInTheMiddleOf("a");
        assertThat(lab.effects()).isEmpty();
        HttpResponse<byte[]> again = lab.send(post(node, "a", "10"));
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(isReplayed(again)).isFalse();
        assertThat(lab.effects()).containsExactly("10");

        DyingServer.start(lab, profile, DyingServer.Point.BEHIND_COMMIT).killInTheMiddleOf("b");
        assertThat(lab.effects()).containsExactly("10", "10");
        HttpResponse<byte[]> replayed = lab.send(post(node, "b", "10"));
        assertThat(isReplayed(replayed)).isTrue();
        assertThat(replayed.statusCode()).isEqualTo(201);
        assertThat(replayed.body()).isEqualTo(DyingServer.BODY);
        assertThat(calls).hasValue(1);
        assertThat(lab.effects()).containsExactly("10", "10");
        note("H13", "handled once; given again byte for byte");
    }

    private static final String OPERATION = "POST /payments/*";

    /** An order here, a charge elsewhere, and a receipt. */
    private static StepHandler<JdbcContext> charging(List<String> keys, List<RuntimeException> troubles) {
        return steps -> {
            steps.inTransaction("order", context -> {
                write(context, "order");
                return new byte[0];
            });
            byte[] charge = steps.foreign("charge", key -> {
                keys.add(key);
                if (!troubles.isEmpty()) {
                    throw troubles.remove(0);
                }
                return "charge 1".getBytes(StandardCharsets.UTF_8);
            });
            steps.inTransaction("receipt", context -> {
                write(context, "receipt");
                return new byte[0];
            });
            return Reply.commit(new StoredResponse(201, Headers.none(), charge));
        };
    }

    private static Application inSteps(StepHandler<JdbcContext> handler) {
        return (request, response) -> {
            Steps<JdbcContext> steps = IdempotencyFilter.steps(request);
            StoredResponse made = handler.handle(steps).response();
            response.setStatus(made.status());
            response.getOutputStream().write(made.body());
        };
    }

    @Test
    void h14WorkWithEffectsElsewhereGoesOnAtItsLastStep() throws Exception {
        HttpLab.Node node = lab.node(filter -> filter.inSteps(request -> true));
        HttpLab.Node other = lab.node(filter -> filter.inSteps(request -> true));
        List<String> keys = Collections.synchronizedList(new ArrayList<>());
        List<RuntimeException> troubles = Collections.synchronizedList(new ArrayList<>());
        StepHandler<JdbcContext> charging = charging(keys, troubles);
        handle(inSteps(charging));

        // It fails, and its retry goes on.
        troubles.add(new IllegalStateException("timeout"));
        assertThat(lab.send(post(node, "a", "10")).statusCode()).isEqualTo(500);
        assertThat(lab.effects()).containsExactly("order");
        HttpResponse<byte[]> retry = lab.send(post(other, "a", "10"));
        assertThat(retry.statusCode()).isEqualTo(201);
        assertThat(text(retry)).isEqualTo("charge 1");
        assertThat(lab.effects()).containsExactly("order", "receipt");
        assertThat(keys).hasSize(2);
        assertThat(keys.get(1)).isEqualTo(keys.get(0));
        assertThat(isReplayed(lab.send(post(node, "a", "10")))).isTrue();

        // It stands still for longer than its lease, and another node goes on.
        lab.workshop.execute("DELETE FROM effect");
        List<HttpResponse<byte[]>> meanwhile = new ArrayList<>();
        AtomicInteger runs = new AtomicInteger();
        handle(inSteps(steps -> {
            if (runs.incrementAndGet() > 1) {
                return charging.handle(steps);
            }
            steps.inTransaction("order", context -> {
                write(context, "order");
                return new byte[0];
            });
            meanwhile.add(lab.send(post(other, "b", "10")));
            lab.clock.advance(Duration.ofMinutes(2));
            meanwhile.add(lab.send(post(other, "b", "10")));
            steps.inTransaction("receipt", context -> {
                write(context, "too late");
                return new byte[0];
            });
            return Reply.commit(new StoredResponse(201, Headers.none(), new byte[0]));
        }));
        assertProblem(lab.send(post(node, "b", "10")), 409, "idempotency-key-in-progress");
        assertProblem(meanwhile.get(0), 409, "idempotency-key-in-progress");
        assertThat(meanwhile.get(1).statusCode()).isEqualTo(201);
        assertThat(lab.effects()).containsExactly("order", "receipt");

        // Its client never comes back, and a node finishes it.
        lab.workshop.execute("DELETE FROM effect");
        troubles.add(new IllegalStateException("timeout"));
        handle(inSteps(charging));
        lab.send(post(node, "c", "10"));
        lab.clock.advance(Duration.ofMinutes(5));
        assertThat(other.requests().completeAbandoned(Map.of(OPERATION, charging), 10))
                .isEqualTo(1);
        assertThat(lab.effects()).containsExactly("order", "receipt");
        assertThat(isReplayed(lab.send(post(node, "c", "10")))).isTrue();
        note("H14", "yes, as an option");
    }

    @Test
    void h15KeyWhoseTimeIsOverIsNew() throws Exception {
        HttpLab.Node node = lab.node();
        Duration retention = Duration.ofDays(profile == IdempotencyProfile.STRIPE_V2 ? 30 : 1);
        assertThat(node.requests().retention()).isEqualTo(retention);
        lab.send(post(node, "a", "10"));
        lab.clock.advance(retention.minusMinutes(5));
        assertThat(isReplayed(lab.send(post(node, "a", "10")))).isTrue();

        lab.clock.advance(Duration.ofMinutes(10));
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        handle((request, response) -> {
            handling.countDown();
            await(go);
            payment().handle(request, response);
        });
        CompletableFuture<HttpResponse<byte[]>> again = sendAsync(post(node, "a", "12"));
        await(handling);
        assertThat(node.requests().purge(100)).isZero();
        go.countDown();
        assertThat(result(again).statusCode()).isEqualTo(201);
        assertThat(isReplayed(result(again))).isFalse();
        assertThat(lab.effects()).containsExactly("10", "12");

        lab.clock.advance(retention.plusMinutes(5));
        assertThat(node.requests().purge(100)).isEqualTo(1);
        assertThat(lab.storedRequests()).isZero();
        assertThatThrownBy(() -> lab.node(requests -> requests.retention(Duration.ofMinutes(59)), filter -> filter))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lab.node(requests -> requests.retention(Duration.ofDays(31)), filter -> filter))
                .isInstanceOf(IllegalArgumentException.class);
        note("H15", retention.toDays() == 1 ? "a day" : retention.toDays() + " days");
    }

    @Test
    void h16SafeMethodsIgnoreTheHeader() throws Exception {
        HttpLab.Node node = lab.node();
        handle((request, response) -> response.setStatus(IdempotencyFilter.isGuarded(request) ? 201 : 200));
        List<String> guarded = new ArrayList<>();
        for (String method : List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "POST")) {
            HttpRequest.Builder request = to(node, "/payments/")
                    .header("Idempotency-Key", "a" + method)
                    .method(method, BodyPublishers.noBody());
            if (lab.send(request).statusCode() == 201) {
                guarded.add(method);
            }
        }
        assertThat(guarded)
                .containsExactlyElementsOf(
                        switch (profile) {
                            case DRAFT -> List.of("PATCH", "POST");
                            case STRIPE_V1 -> List.of("POST");
                            case STRIPE_V2 -> List.of("DELETE", "POST");
                        });
        HttpLab.Node puts = lab.node(filter -> filter.methods("PUT"));
        assertThat(lab.send(to(puts, "/payments/")
                                .header("Idempotency-Key", "a")
                                .PUT(BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(201);
        assertThatThrownBy(() -> lab.node(filter -> filter.methods("GET")))
                .isInstanceOf(IllegalArgumentException.class);
        note("H16", String.join(", ", guarded));
    }

    @Test
    void h17ResponseThatIsTooLargeIsNotGivenAgain() throws Exception {
        HttpLab.Node node = lab.node();
        byte[] large = new byte[256 * 1024 + 1];
        handle((request, response) -> {
            write(request, "paid");
            response.setStatus(201);
            response.setHeader("Location", "/payments/1");
            response.getOutputStream().write(large);
        });
        assertThat(lab.send(post(node, "a", "10")).body()).isEqualTo(large);
        HttpResponse<byte[]> retry = lab.send(post(node, "a", "10"));
        assertProblem(retry, 409, "idempotency-key-not-replayable");
        assertThat(header(retry, "Location")).isEqualTo("/payments/1");
        assertThat(lab.effects()).containsExactly("paid");

        handle((request, response) -> {
            response.setStatus(202);
            response.setHeader("Location", "/payments/2/status");
        });
        lab.send(post(node, "b", "10"));
        HttpResponse<byte[]> accepted = lab.send(post(node, "b", "10"));
        assertThat(accepted.statusCode()).isEqualTo(202);
        assertThat(isReplayed(accepted)).isTrue();
        assertThat(header(accepted, "Location")).isEqualTo("/payments/2/status");
        note("H17", "409 with `Location` from 256 KiB on");
    }

    @Test
    void h18ClientThatGoesAwayFindsItsResponseLater() throws Exception {
        HttpLab.Node node = lab.node();
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        handle((request, response) -> {
            handling.countDown();
            await(gone);
            payment().handle(request, response);
            done.countDown();
        });
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), node.server().port())) {
            OutputStream out = socket.getOutputStream();
            String head = "POST /payments/ HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nIdempotency-Key: a\r\n";
            out.write((head + "Content-Length: 2\r\n\r\n10").getBytes(StandardCharsets.US_ASCII));
            out.flush();
            await(handling);
            socket.setSoLinger(true, 0);
        }
        gone.countDown();
        await(done);
        HttpResponse<byte[]> retry = lab.send(post(node, "a", "10"));
        while (retry.statusCode() == 409) {
            retry = lab.send(post(node, "a", "10"));
        }

        assertThat(isReplayed(retry)).isTrue();
        assertThat(text(retry)).isEqualTo("{\"paid\":\"10\"}");
        assertThat(calls).hasValue(1);
        note("H18", "yes");
    }

    @Test
    void h19ManyIdenticalRequestsAreHandledOnce() throws Exception {
        List<HttpLab.Node> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(lab.node(10, requests -> requests, filter -> filter, null));
        }
        List<CompletableFuture<HttpResponse<byte[]>>> same = new ArrayList<>();
        List<CompletableFuture<HttpResponse<byte[]>>> others = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            same.add(sendAsync(post(nodes.get(i % 3), "a", "10")));
            if (i % 4 == 0) {
                others.add(sendAsync(post(nodes.get(i % 3), "other" + i, "other")));
            }
        }
        int executed = 0;
        for (CompletableFuture<HttpResponse<byte[]>> each : same) {
            HttpResponse<byte[]> response = result(each);
            assertThat(response.statusCode()).isIn(201, 409);
            if (response.statusCode() == 201 && !isReplayed(response)) {
                executed++;
            }
        }
        for (CompletableFuture<HttpResponse<byte[]>> other : others) {
            assertThat(result(other).statusCode()).isEqualTo(201);
        }
        assertThat(executed).isEqualTo(1);
        assertThat(lab.effects()).filteredOn("10"::equals).hasSize(1);
        assertThat(lab.effects()).hasSize(17);
        assertThat(nodes.stream()
                        .mapToLong(node -> node.requests().counts().failed())
                        .sum())
                .isZero();
        assertThat(nodes.stream()
                        .mapToLong(node -> node.requests().counts().of(Kind.EXECUTED))
                        .sum())
                .isEqualTo(17);
        note("H19", "handled once; 409 or the response; no 500");
    }

    @Test
    void h20ErrorsAreProblems() throws Exception {
        HttpLab.Node node = lab.node(filter -> filter.problemTypes(URI.create("https://api.example.com/problems/")));
        HttpResponse<byte[]> invalid = lab.send(post(node, "two words", "10"));
        assertThat(header(invalid, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(text(invalid))
                .startsWith("{\"type\":\"https://api.example.com/problems/idempotency-key-invalid\",\"title\":\"")
                .contains("\"status\":400,\"detail\":\"")
                .endsWith("\"}");
        lab.send(post(node, "a", "10"));
        HttpResponse<byte[]> replayed = lab.send(post(node, "a", "10").header("Origin", "https://shop.example.com"));
        assertThat(header(replayed, "Access-Control-Expose-Headers")).isEqualTo("Idempotent-Replayed");
        note("H20", "yes");
    }

    @Test
    void h21AnyBytesComeBackAsTheyWere() throws Exception {
        HttpLab.Node node = lab.node();
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
            gzip.write("paid".getBytes(StandardCharsets.UTF_8));
        }
        byte[] odd = {0, 1, -1, -2, 0, (byte) 0xC3, 10, 13, 0};
        for (byte[] body : List.of(zipped.toByteArray(), odd, new byte[0])) {
            String key = "k" + body.length;
            handle((request, response) -> {
                response.setHeader("Content-Encoding", "gzip");
                response.setContentType("application/octet-stream");
                response.getOutputStream().write(body);
            });
            assertThat(lab.send(post(node, key, "10")).body()).isEqualTo(body);
            HttpResponse<byte[]> retry = lab.send(post(node, key, "10"));
            assertThat(isReplayed(retry)).isTrue();
            assertThat(retry.body()).isEqualTo(body);
            assertThat(header(retry, "Content-Encoding")).isEqualTo("gzip");
        }
        note("H21", "yes");
    }

    @Test
    void h22ClockIsTheDatabases() throws Exception {
        HttpLab.Node node = lab.node();
        lab.clock.advance(Duration.ofDays(400));
        lab.send(post(node, "a", "10"));

        RequestIdentity identity = new RequestIdentity(OPERATION, RequestScope.of("ann"), "a");
        Instant created = node.requests().admin().find(identity).orElseThrow().createdAt();
        Instant now = Instant.ofEpochSecond(Long.parseLong(
                lab.workshop.ask("SELECT CAST(extract(epoch FROM pg_catalog.clock_timestamp()) AS bigint)")));
        assertThat(Duration.between(now, created)).isBetween(Duration.ofDays(399), Duration.ofDays(401));
        note("H22", "yes");
    }

    @Test
    void h23BodiesCanBeEncrypted() throws Exception {
        ResponseProtection mask = new ResponseProtection() {
            @Override
            public byte[] protect(byte[] body) {
                return turned(body);
            }

            @Override
            public byte[] unprotect(byte[] stored) {
                return turned(stored);
            }
        };
        HttpLab.Node node = lab.node(requests -> requests.protection(mask), filter -> filter);
        lab.send(post(node, "a", "10"));

        assertThat(lab.workshop.ask("SELECT encode(body, 'escape') FROM inbox_idempotency"))
                .doesNotContain("paid");
        assertThat(text(lab.send(post(node, "a", "10")))).isEqualTo("{\"paid\":\"10\"}");
        RequestIdentity identity = new RequestIdentity(OPERATION, RequestScope.of("ann"), "a");
        assertThat(node.requests().admin().find(identity).orElseThrow().toString())
                .contains("Location")
                .doesNotContain("paid");
        assertThat(lab.workshop.ask("SELECT encode(scope_hash, 'escape') FROM inbox_idempotency"))
                .doesNotContain("ann");
        note("H23", "yes");
    }

    private static byte[] turned(byte[] bytes) {
        byte[] turned = bytes.clone();
        for (int i = 0; i < turned.length; i++) {
            turned[i] ^= 0x5A;
        }
        return turned;
    }

    @Test
    void h24HandlerHasTheContextOfTheInbox() throws Exception {
        HttpLab.Node node = lab.node();
        AtomicReference<String> seen = new AtomicReference<>();
        handle((request, response) -> {
            JdbcContext context = IdempotencyFilter.context(request, JdbcContext.class);
            context.defer("INSERT INTO effect (text) VALUES ('deferred')");
            seen.set(context.message().type() + " " + context.message().id() + " "
                    + new String(context.message().payload(), StandardCharsets.UTF_8) + " "
                    + context.idempotencyKey("mail").length());
            assertThatThrownBy(() -> context.connection().commit()).isInstanceOf(IllegalStateException.class);
            response.setStatus(201);
        });
        assertThat(lab.send(post(node, "a", "10")).statusCode()).isEqualTo(201);
        assertThat(seen).hasValue(OPERATION + " a 10 32");
        assertThat(lab.effects()).containsExactly("deferred");

        AtomicReference<String> refusal = new AtomicReference<>();
        handle((request, response) -> {
            try {
                request.startAsync();
            } catch (IllegalStateException e) {
                refusal.set(e.getMessage());
                throw e;
            }
        });
        assertThat(lab.send(post(node, "b", "10")).statusCode()).isEqualTo(500);
        assertThat(refusal.get()).contains("idempotency key", "synchronously");
        note("H24", "yes");
    }
}
