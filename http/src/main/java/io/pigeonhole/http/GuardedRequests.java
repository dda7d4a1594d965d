package io.pigeonhole.http;

import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.Fingerprint;
import io.pigeonhole.core.idempotency.IdempotentRequest;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestIdentity;
import io.pigeonhole.core.idempotency.RequestMessage;
import io.pigeonhole.core.idempotency.RequestOutcome;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles requests that have a key. Safe for use by many threads.
 *
 * @param <C> the context that the store hands out
 */
final class GuardedRequests<C extends HandlerContext> {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedRequests.class);

    private static final byte[] NONE = {};

    private final FilterSettings<C> settings;
    private final Responder responder;

    GuardedRequests(FilterSettings<C> settings, Responder responder) {
        this.settings = settings;
        this.responder = responder;
    }

    /** Null where it was answered, else why it is refused. */
    @Nullable
    Problem handle(HttpServletRequest request, HttpServletResponse response, FilterChain chain, String key)
            throws IOException, ServletException {
        RequestScope scope = settings.scope().resolve(request);
        if (scope == null || (!settings.anonymous() && isNobody(scope))) {
            return Problem.principalRequired();
        }
        RequestIdentity identity = new RequestIdentity(settings.operation().apply(request), scope, key);
        if (isMultipart(request)) {
            return handleParts(request, response, chain, identity);
        }
        int largest = settings.largestRequest();
        if (settings.passesLargeRequests() && request.getContentLengthLong() > largest) {
            chain.doFilter(request, response);
            return null;
        }
        if (request.getContentLengthLong() > largest) {
            return Problem.tooLarge(largest);
        }
        boolean isAtEnd = BufferedBody.isAtEnd(request);
        byte[] body = BufferedBody.read(request, largest);
        if (body == null) {
            return Problem.tooLarge(largest);
        }
        if (body.length == 0
                && request.getContentLengthLong() != 0
                && GuardedRequest.isForm(GuardedRequest.contentType(request))) {
            return handleForm(request, response, chain, identity, isAtEnd);
        }
        if (BufferedBody.isIncomplete(request, body, isAtEnd)) {
            throw readInFront();
        }
        GuardedRequest repeatable = new GuardedRequest(request, body);
        Fingerprint fingerprint = settings.digest().of(request, identity.operation(), body);
        IdempotentRequest idempotent = idempotent(request, identity, fingerprint, body);
        handle(repeatable, response, chain, idempotent, settings.inSteps().test(repeatable));
        return null;
    }

    private static boolean isNobody(RequestScope scope) {
        return isBlank(scope.tenant()) && isBlank(scope.principal());
    }

    private static boolean isBlank(@Nullable String name) {
        return name == null || name.isBlank();
    }

    private static ConfigurationException readInFront() {
        return new ConfigurationException(
                "the body of this request was read, or a part of it, before it came to IdempotencyFilter, so that it cannot be compared"
                        + " with that of a retry: let the filter that reads it wrap the request, so that the body can be read again and"
                        + " has the bytes that getContentLengthLong says, or map that filter behind IdempotencyFilter");
    }

    /** Of a form that the container has read for its parameters; or it is empty. */
    private @Nullable Problem handleForm(
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            RequestIdentity identity,
            boolean wasAtEnd)
            throws IOException, ServletException {
        boolean hasParameters = FormParameters.areRead(request);
        if (!hasParameters && BufferedBody.isIncomplete(request, NONE, wasAtEnd)) {
            throw readInFront();
        }
        GuardedRequest repeatable = new GuardedRequest(request, null);
        boolean inSteps = settings.inSteps().test(repeatable);
        if (inSteps && hasParameters) {
            throw new ConfigurationException(
                    "the parameters of this form were read before it came to IdempotencyFilter, so that its body cannot be stored, with"
                            + " which another node would go on with its steps: map the filter that reads them behind IdempotencyFilter");
        }
        Fingerprint fingerprint = settings.digest().ofParameters(request, identity.operation());
        handle(repeatable, response, chain, idempotent(request, identity, fingerprint, NONE), inSteps);
        return null;
    }

    private static boolean isMultipart(HttpServletRequest request) {
        return mediaType(request).startsWith("multipart/");
    }

    private static String mediaType(HttpServletRequest request) {
        String type = GuardedRequest.contentType(request);
        return type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    private @Nullable Problem handleParts(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain, RequestIdentity identity)
            throws IOException, ServletException {
        int largest = settings.largestMultipart();
        GuardedRequest repeatable = new GuardedRequest(request, null);
        // The container reads the parts of forms only; and their body, with which another node would go on with steps,
        // is not kept.
        if (largest == 0
                || !mediaType(request).equals("multipart/form-data")
                || settings.inSteps().test(repeatable)) {
            return Problem.multipart();
        }
        Fingerprint fingerprint = settings.digest().ofParts(request, identity.operation(), largest);
        if (fingerprint == null) {
            return Problem.tooLarge(largest);
        }
        handle(repeatable, response, chain, idempotent(request, identity, fingerprint, NONE), false);
        return null;
    }

    /** The message has what somebody else needs to go on with the request. */
    private IdempotentRequest idempotent(
            HttpServletRequest request, RequestIdentity identity, Fingerprint fingerprint, byte[] body) {
        Headers headers = Headers.none().with("method", request.getMethod()).with("path", request.getRequestURI());
        headers = with(headers, "query", request.getQueryString());
        headers = with(headers, "tenant", identity.scope().tenant());
        headers = with(headers, "principal", identity.scope().principal());
        Message message = RequestMessage.of(
                settings.requests().name(),
                identity.operation(),
                identity.key(),
                headers,
                GuardedRequest.contentType(request),
                body);
        return new IdempotentRequest(identity, fingerprint, message);
    }

    private static Headers with(Headers headers, String name, @Nullable String value) {
        return value == null ? headers : headers.with(name, value);
    }

    private void handle(
            GuardedRequest request,
            HttpServletResponse response,
            FilterChain chain,
            IdempotentRequest idempotent,
            boolean inSteps)
            throws IOException, ServletException {
        GuardedResponse kept = new GuardedResponse(
                response,
                Redispatch.statusOfTheFront(
                        request, response, idempotent.identity().key()),
                settings.largestResponse());
        RequestOutcome outcome;
        try {
            outcome = inSteps
                    ? settings.requests()
                            .handleInSteps(idempotent, steps -> run(request, kept, chain, Exchange.inSteps(steps)))
                    : settings.requests()
                            .handle(idempotent, context -> run(request, kept, chain, Exchange.in(context)));
        } catch (IOException | ServletException | RuntimeException e) {
            if (response.isCommitted() || !settings.requests().isTemporary(e)) {
                throw e;
            }
            unavailable(response, e);
            return;
        } catch (Exception e) {
            throw new ServletException("the request failed", e);
        }
        answer(request, response, kept, outcome);
    }

    /** What may be otherwise soon is no error of the server. */
    private void unavailable(HttpServletResponse response, Exception failure) {
        LOG.warn(
                "a request with an idempotency key was not handled for certain, and its client is asked to retry",
                failure);
        responder.problem(response, Problem.unavailable(), Duration.ofSeconds(1));
    }

    private Reply run(GuardedRequest request, GuardedResponse kept, FilterChain chain, Exchange exchange)
            throws IOException, ServletException {
        exchange.attach(request);
        try {
            chain.doFilter(request, kept);
            kept.requireWhole();
        } catch (IOException | ServletException | RuntimeException e) {
            boolean isStored =
                    settings.rules().policy() == StorePolicy.ALL && exchange.hasBegun() && !exchange.isInSteps();
            if (!isStored || settings.requests().isTemporary(e) || isAborted(e)) {
                throw e;
            }
            LOG.error("a request with an idempotency key has failed, which is stored", e);
            kept.discard();
            return Reply.commitResponseOnly(settings.rules().problem(Problem.failed(), Headers.none()));
        } finally {
            Exchange.detach(request);
        }
        Reply.Retention retention = settings.rules().retention(kept.getStatus(), exchange.hasBegun());
        // The steps that are committed stay, and a retry goes on behind them.
        boolean isUndone = exchange.isInSteps() && retention == Reply.Retention.COMMIT_RESPONSE_ONLY;
        return new Reply(settings.rules().stored(kept), isUndone ? Reply.Retention.ROLL_BACK : retention);
    }

    /** Whoever meets it need not be the one at fault, and may not meet it again. */
    private static boolean isAborted(Exception failure) {
        return Causes.of(failure).stream()
                .anyMatch(
                        cause -> cause instanceof StoreException refused && refused.errorClass() == ErrorClass.ABORTED);
    }

    private void answer(
            HttpServletRequest request, HttpServletResponse response, GuardedResponse kept, RequestOutcome outcome)
            throws IOException {
        if (outcome instanceof RequestOutcome.Executed executed) {
            kept.copyHeaders(kept.isError());
            Responder.expose(request, response);
            Responder.executed(response, executed.response());
        } else if (outcome instanceof RequestOutcome.NotStored notStored) {
            kept.copyHeaders(false);
            Responder.expose(request, response);
            sendUnstored(response, kept, notStored.response());
        } else {
            Responder.expose(request, response);
            answerUnhandled(request, response, outcome);
        }
    }

    /** Where the request was not handled. */
    private void answerUnhandled(HttpServletRequest request, HttpServletResponse response, RequestOutcome outcome) {
        if (outcome instanceof RequestOutcome.InProgress inProgress) {
            responder.problem(response, Problem.inProgress(), inProgress.retryAfter());
        } else if (outcome instanceof RequestOutcome.FingerprintMismatch) {
            responder.problem(response, Problem.reused(settings.statusOfReuse()));
        } else if (settings.replayGuard() != null && !settings.replayGuard().mayReplay(request)) {
            responder.problem(response, Problem.replayRefused());
        } else if (outcome instanceof RequestOutcome.Replayed replayed) {
            responder.replay(response, replayed.response());
        } else if (outcome instanceof RequestOutcome.NotReplayable lost) {
            location(response, lost.headers());
            responder.problem(response, Problem.notReplayable(lost.status()));
        }
    }

    /** As if there were no filter: the container has pages for errors. */
    private static void sendUnstored(HttpServletResponse response, GuardedResponse kept, StoredResponse answer)
            throws IOException {
        if (kept.isError()) {
            response.sendError(kept.getStatus(), kept.errorMessage().isEmpty() ? null : kept.errorMessage());
        } else {
            Responder.send(response, answer.status(), answer.body());
        }
    }

    private static void location(HttpServletResponse response, Headers headers) {
        for (Header header : headers) {
            byte[] value = header.value();
            if (header.name().equalsIgnoreCase("Location") && value != null) {
                response.setHeader("Location", new String(value, StandardCharsets.UTF_8));
            }
        }
    }
}
