package io.pigeonhole.http;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.RequestScope;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.security.Principal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of {@link IdempotencyFilter}. Not safe for use by many threads.
 *
 * @param <C> the context that the store hands out
 */
public final class IdempotencyFilterBuilder<C extends HandlerContext> {
    private static final int MOST_BYTES = 64 * 1024 * 1024;
    private static final int MEBIBYTE = 1024 * 1024;
    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "CONNECT");

    private final IdempotentRequests<C> requests;
    private String header = "Idempotency-Key";
    private boolean strict;
    private boolean required = true;
    private Set<String> methods = Set.of("POST", "PATCH");
    private @Nullable ScopeResolver scope;
    private boolean anonymous;
    private Function<HttpServletRequest, String> operation = IdempotencyFilterBuilder::mapped;
    private List<String> fingerprintHeaders = List.of();
    private BodyCanonicalizer canonicalizer = BodyCanonicalizer.bytes();
    private int largestRequest = MEBIBYTE;
    private boolean passesLargeRequests;
    private int largestMultipart;
    private int largestResponse = 16 * MEBIBYTE;
    private StorePolicy store = StorePolicy.SUCCESSES_AND_CLIENT_ERRORS;
    private final Set<String> storedHeaders = new HashSet<>(ResponseRules.STORED);
    private int statusOfReuse = 422;
    private @Nullable ReplayGuard replayGuard;
    private Predicate<HttpServletRequest> inSteps = request -> false;
    private String problemTypes = "urn:pigeonhole:problem:";
    private @Nullable String documentation;

    IdempotencyFilterBuilder(IdempotentRequests<C> requests) {
        this.requests = Objects.requireNonNull(requests, "requests");
    }

    /** The method, and the servlet's pattern that the request has matched. */
    private static String mapped(HttpServletRequest request) {
        String pattern = request.getHttpServletMapping().getPattern();
        return request.getMethod() + " " + (pattern.isEmpty() ? "/" : pattern);
    }

    private static int bytes(String what, int bytes) {
        if (bytes < 1 || bytes > MOST_BYTES) {
            throw new IllegalArgumentException(what + " " + bytes + " is not from 1 to " + MOST_BYTES);
        }
        return bytes;
    }

    /**
     * Sets what belongs together to behave as another API does; see {@link IdempotencyProfile#applyTo} for the other half of it.
     *
     * @param profile that of the IETF's draft unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> profile(IdempotencyProfile profile) {
        boolean isDraft = profile == IdempotencyProfile.DRAFT;
        required(isDraft);
        statusOfReuse(isDraft ? 422 : 400);
        switch (profile) {
            case DRAFT -> methods("POST", "PATCH").store(StorePolicy.SUCCESSES_AND_CLIENT_ERRORS);
            case STRIPE_V1 -> methods("POST").store(StorePolicy.ALL);
            case STRIPE_V2 -> methods("POST", "DELETE").store(StorePolicy.SUCCESSES);
        }
        return this;
    }

    /**
     * The name of the header.
     *
     * @param name {@code Idempotency-Key} unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> header(String name) {
        this.header = Objects.requireNonNull(name, "header");
        return this;
    }

    /**
     * Whether only a key in double quotes is accepted, as the draft of the IETF asks for. Otherwise {@code "abc"} and {@code abc} are the
     * same key.
     *
     * @param only false unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> strict(boolean only) {
        this.strict = only;
        return this;
    }

    /**
     * Whether a request without a key is refused. Otherwise it is handled as if there were no filter, in no transaction of ours.
     *
     * @param refused true unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> required(boolean refused) {
        this.required = refused;
        return this;
    }

    /**
     * The methods for which keys count. For others the header is ignored.
     *
     * @param names such as PUT and DELETE; POST and PATCH unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> methods(String... names) {
        for (String name : names) {
            if (SAFE_METHODS.contains(name)) {
                throw new IllegalArgumentException(name + " changes nothing, and takes no idempotency key");
            }
            if (!name.equals(name.toUpperCase(Locale.ROOT))) {
                throw new IllegalArgumentException("methods are case-sensitive, and no client sends " + name
                        + ": write " + name.toUpperCase(Locale.ROOT));
            }
        }
        this.methods = Set.of(names);
        return this;
    }

    /**
     * Says whose key a request has: tenant and principal. This, {@link #userPrincipals} or {@link #anonymous} has to be called.
     *
     * @param resolver asked behind whatever authenticates requests; where it answers null, or a scope without tenant and principal, the request
     *     is refused
     * @return this
     */
    public IdempotencyFilterBuilder<C> scope(ScopeResolver resolver) {
        this.scope = Objects.requireNonNull(resolver, "scope");
        this.anonymous = false;
        return this;
    }

    /**
     * Takes the name of {@code getUserPrincipal()} for the scope of a request, and refuses requests without one.
     *
     * @return this
     */
    public IdempotencyFilterBuilder<C> userPrincipals() {
        return scope(request -> {
            Principal principal = request.getUserPrincipal();
            String name = principal == null ? null : principal.getName();
            return name == null || name.isBlank() ? null : RequestScope.of(name);
        });
    }

    /**
     * Lets all clients share one scope: whoever knows or guesses a key is given its response. For applications without users. A request that
     * comes with a user nevertheless fails.
     *
     * @return this
     */
    public IdempotencyFilterBuilder<C> anonymous() {
        this.scope = request -> RequestScope.anonymous();
        this.anonymous = true;
        return this;
    }

    /**
     * Names the operation of a request. A key is remembered for each operation by itself.
     *
     * @param naming such as the route's template; the method and the pattern of the servlet's mapping unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> operation(Function<HttpServletRequest, String> naming) {
        this.operation = Objects.requireNonNull(naming, "operation");
        return this;
    }

    /**
     * Headers whose values belong to what a request asks for, such as that with the version of the API.
     *
     * @param names none unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> fingerprintHeaders(String... names) {
        this.fingerprintHeaders = List.of(names);
        return this;
    }

    /**
     * The form of bodies in which they are compared.
     *
     * @param form bytes unless set; {@link BodyCanonicalizer#json} for JSON that may be spelt otherwise in a retry
     * @return this
     */
    public IdempotencyFilterBuilder<C> canonicalizer(BodyCanonicalizer form) {
        this.canonicalizer = Objects.requireNonNull(form, "canonicalizer");
        return this;
    }

    /**
     * How many bytes the body of a request may have: it is read as a whole before the request is handled. One that has more is answered 413.
     *
     * @param bytes from 1 to 64 MiB; 1 MiB unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> largestRequest(int bytes) {
        this.largestRequest = bytes("largestRequest", bytes);
        return this;
    }

    /**
     * Whether requests that say to have more bytes than {@link #largestRequest} are handled as if they had no key. One that does not say how
     * many it has is answered 413 nevertheless: its bytes are read by then.
     *
     * @param unguarded false unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> passesLargeRequests(boolean unguarded) {
        this.passesLargeRequests = unguarded;
        return this;
    }

    /**
     * Lets requests of several parts ({@code multipart/form-data}) have keys. The container reads the parts, as the servlet's
     * {@code MultipartConfig} says; the names and contents of the parts are what is compared. Not for requests in steps, nor for other kinds of
     * {@code multipart}: those are answered 415 nevertheless.
     *
     * @param bytes how many the parts may have together, from 1 to 64 MiB; such requests are answered 415 unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> multipart(int bytes) {
        this.largestMultipart = bytes("multipart", bytes);
        return this;
    }

    /**
     * How many bytes a response may have: it is kept back until the transaction is committed. One that has more fails. How many are stored is
     * said by {@code largestBody} of the requests.
     *
     * @param bytes from 1 to 64 MiB; 16 MiB unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> largestResponse(int bytes) {
        this.largestResponse = bytes("largestResponse", bytes);
        return this;
    }

    /**
     * Which responses are stored.
     *
     * @param policy successes and errors of the client unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> store(StorePolicy policy) {
        this.store = Objects.requireNonNull(policy, "store");
        return this;
    }

    /**
     * Headers that are stored and given again, besides {@code Content-Type} and others that describe the content, {@code Location},
     * {@code ETag}, {@code Last-Modified} and {@code Link}.
     *
     * @param names of headers that say the same to everybody at any time; not {@code Set-Cookie}, {@code Authorization}, {@code Date} or one
     *     that is about the connection
     * @return this
     */
    public IdempotencyFilterBuilder<C> storedHeaders(String... names) {
        for (String name : names) {
            String small = name.toLowerCase(Locale.ROOT);
            if (ResponseRules.NEVER_STORED.contains(small)) {
                throw new IllegalArgumentException(
                        name + " is of one moment, one connection or one recipient, and is never given again");
            }
            storedHeaders.add(small);
        }
        return this;
    }

    /**
     * The status of the answer to a key that was used for another request.
     *
     * @param status 400, 409 or 422; 422 unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> statusOfReuse(int status) {
        if (status != 400 && status != 409 && status != 422) {
            throw new IllegalArgumentException("statusOfReuse " + status + " is none of 400, 409 and 422");
        }
        this.statusOfReuse = status;
        return this;
    }

    /**
     * Who is asked before a stored response is given again.
     *
     * @param guard nobody unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> replayGuard(ReplayGuard guard) {
        this.replayGuard = Objects.requireNonNull(guard, "replayGuard");
        return this;
    }

    /**
     * Which requests are handled in steps, because they have effects in other systems. Their servlet works with
     * {@link IdempotencyFilter#steps}.
     *
     * @param which none unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> inSteps(Predicate<HttpServletRequest> which) {
        this.inSteps = Objects.requireNonNull(which, "inSteps");
        return this;
    }

    /**
     * What the types of problems begin with, to which a name such as {@code idempotency-key-required} is added.
     *
     * @param base such as {@code https://api.example.com/problems/}; {@code urn:pigeonhole:problem:} unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> problemTypes(URI base) {
        this.problemTypes = base.toString();
        return this;
    }

    /**
     * Where your clients read how to use keys, and for how long they are remembered. It goes into a {@code Link} of each problem.
     *
     * @param page none unless set
     * @return this
     */
    public IdempotencyFilterBuilder<C> documentation(URI page) {
        this.documentation = page.toString();
        return this;
    }

    /**
     * Makes the filter.
     *
     * @return the filter, to be mapped behind what authenticates requests
     * @throws ConfigurationException if nothing says whose keys these are, or all responses are to be stored and the requests do not allow
     *     that
     */
    public IdempotencyFilter build() {
        ScopeResolver resolver = scope;
        if (resolver == null) {
            throw new ConfigurationException(
                    "nothing says whose idempotency keys these are, and a client could be given the response of another one:"
                            + " call userPrincipals(), scope(…), or anonymous() where there are no users");
        }
        if (store == StorePolicy.ALL && !requests.storesFailures()) {
            throw new ConfigurationException(
                    "to store the responses of requests that have failed, build the requests with"
                            + " storesFailures(true), or IdempotencyProfile.applyTo");
        }
        return new IdempotencyFilter(new FilterSettings<>(
                requests,
                header,
                strict,
                required,
                methods,
                resolver,
                anonymous,
                operation,
                new RequestDigest(fingerprintHeaders, canonicalizer),
                largestRequest,
                passesLargeRequests,
                largestMultipart,
                largestResponse,
                new ResponseRules(store, Set.copyOf(storedHeaders), problemTypes),
                statusOfReuse,
                replayGuard,
                inSteps,
                problemTypes,
                documentation));
    }
}
