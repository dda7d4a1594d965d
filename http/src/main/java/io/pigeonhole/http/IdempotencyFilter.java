package io.pigeonhole.http;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.Steps;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.concurrent.atomic.LongAdder;

/**
 * Handles each request with an idempotency key once: the key, what the application writes in the request's transaction and the response are
 * committed together, and the same request is answered with that response again. Any servlet container; synchronous servlets only. To be
 * mapped behind what authenticates and authorises requests, which so runs for a retry as well, and for the dispatcher types {@code REQUEST},
 * {@code ASYNC} and {@code FORWARD}: a filter that is mapped to {@code REQUEST} only does not see what is dispatched again. Safe for use by
 * many threads.
 *
 * <p>The application writes by {@link #context}, or by the framework whose transactions the store was given; then everything is in the
 * transaction of the key. The response is kept back until that is committed. A process that dies before has left nothing; one that dies
 * behind it has left the response, which a retry gets byte for byte.
 */
public final class IdempotencyFilter implements Filter {
    private static final String COUNTED = IdempotencyFilter.class.getName() + ".withoutKey";

    private final FilterSettings<?> settings;
    private final GuardedRequests<?> guarded;
    private final Responder responder;
    private final LongAdder withoutKey = new LongAdder();
    private final LongAdder refused = new LongAdder();

    IdempotencyFilter(FilterSettings<?> settings) {
        this.settings = settings;
        this.responder = new Responder(settings.problemTypes(), settings.documentation());
        this.guarded = new GuardedRequests<>(settings, responder);
    }

    /**
     * Begins a filter.
     *
     * @param requests what handles requests
     * @param <C> the context that the store hands out
     * @return a builder with the standard settings
     */
    public static <C extends HandlerContext> IdempotencyFilterBuilder<C> builder(IdempotentRequests<C> requests) {
        return new IdempotencyFilterBuilder<>(requests);
    }

    /**
     * Whether a request is handled under an idempotency key.
     *
     * @param request the request, in the servlet
     * @return true if {@link #context} or {@link #steps} answers
     */
    public static boolean isGuarded(ServletRequest request) {
        return Exchange.of(request) != null;
    }

    /**
     * The means to write in the transaction that holds the key. From here on the application has begun to handle the request: an error of the
     * client that it answers is stored.
     *
     * @param request the request, in the servlet, on its thread
     * @return the context of the store, valid until the servlet returns
     * @throws IllegalStateException if the request is handled under no key, or in steps
     */
    public static HandlerContext context(ServletRequest request) {
        return Exchange.context(request);
    }

    /**
     * The same as what the store hands out.
     *
     * @param request the request, in the servlet, on its thread
     * @param type of the context, such as that of a JDBC store
     * @param <C> the same
     * @return the context of the store, valid until the servlet returns
     * @throws IllegalStateException if the request is handled under no key, or in steps
     * @throws ClassCastException if the store hands out another one
     */
    public static <C extends HandlerContext> C context(ServletRequest request, Class<C> type) {
        return type.cast(Exchange.context(request));
    }

    /**
     * Says that the application begins to handle the request, where it writes by a framework and not by {@link #context}: an error of the
     * client that it answers from here on is stored.
     *
     * @param request the request, in the servlet, on its thread
     * @throws IllegalStateException if the request is handled under no key
     */
    public static void begin(ServletRequest request) {
        Exchange.begin(request);
    }

    /**
     * The steps of a request that has effects in other systems.
     *
     * @param request the request, in the servlet, on its thread
     * @param <C> the context that the store hands out
     * @return its steps, valid until the servlet returns
     * @throws IllegalStateException if the request is handled under no key, or in one transaction
     */
    @SuppressWarnings("unchecked") // A filter has one store, which made them.
    public static <C extends HandlerContext> Steps<C> steps(ServletRequest request) {
        return (Steps<C>) Exchange.steps(request);
    }

    /**
     * How many requests came without a key and were handled without one. They are no outcome of
     * {@link IdempotentRequests#counts}.
     *
     * @return since the filter was made
     */
    public long withoutKey() {
        return withoutKey.sum();
    }

    /**
     * How many requests were refused before their key was looked for: without a key, with one that cannot be used, too large, or of nobody.
     *
     * @return since the filter was made
     */
    public long refused() {
        return refused.sum();
    }

    /**
     * Guards a request once, at the first dispatch at which this filter sees it: also a request that was forwarded, or dispatched
     * asynchronously, by what stands in front. Pages for errors and what is included are a part of the request that they belong to, and so is
     * what a guarded request is forwarded to.
     */
    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest http
                && response instanceof HttpServletResponse answer
                && settings.methods().contains(http.getMethod())
                && !Redispatch.isPartOfARequest(http)) {
            filter(http, answer, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        KeyHeader header = KeyHeader.parse(Collections.list(request.getHeaders(settings.header())), settings.strict());
        String key = header.key();
        if (key != null && Redispatch.isPageOfARefusal(request, response, key)) {
            // Nothing tells the page from a payment: the container shows its own.
            response.sendError(response.getStatus());
        } else if (key != null) {
            requireNoPrincipal(request);
            Problem problem = guarded.handle(request, response, chain, key);
            Redispatch.answered(request, key);
            if (problem != null) {
                refuse(response, problem);
            }
        } else if (header.defect() != null) {
            Redispatch.answered(request, null);
            refuse(response, Problem.invalid(settings.header(), header.defect()));
        } else if (Redispatch.isPageOfARefusal(request, response, null)) {
            chain.doFilter(request, response);
        } else if (settings.required()) {
            Redispatch.answered(request, null);
            refuse(response, Problem.required(settings.header()));
        } else {
            countWithoutKey(request);
            chain.doFilter(request, response);
        }
    }

    /** Once, though the request may be dispatched again. */
    private void countWithoutKey(HttpServletRequest request) {
        if (request.getAttribute(COUNTED) != this) {
            request.setAttribute(COUNTED, this);
            withoutKey.increment();
        }
    }

    private void refuse(HttpServletResponse response, Problem problem) {
        refused.increment();
        responder.problem(response, problem);
    }

    /** Whose request this is matters to somebody, who has forgotten to say so. */
    private void requireNoPrincipal(HttpServletRequest request) {
        if (settings.anonymous() && request.getUserPrincipal() != null) {
            throw new ConfigurationException(
                    "this request has a user, and all users share one scope of idempotency keys: a client could be given the"
                            + " response of another one. Build the filter with userPrincipals() or scope(…) instead of anonymous()");
        }
    }
}
