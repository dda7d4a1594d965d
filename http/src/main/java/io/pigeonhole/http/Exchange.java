package io.pigeonhole.http;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.Steps;
import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

/** What the application can ask for while it handles a request. Used by one thread. */
final class Exchange {
    private static final String ATTRIBUTE = Exchange.class.getName();

    private final @Nullable HandlerContext context;
    private final @Nullable Steps<?> steps;
    private boolean begun;

    private Exchange(@Nullable HandlerContext context, @Nullable Steps<?> steps) {
        this.context = context;
        this.steps = steps;
    }

    static Exchange in(HandlerContext context) {
        return new Exchange(context, null);
    }

    static Exchange inSteps(Steps<?> steps) {
        return new Exchange(null, steps);
    }

    void attach(ServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }

    static void detach(ServletRequest request) {
        request.removeAttribute(ATTRIBUTE);
    }

    static @Nullable Exchange of(ServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof Exchange exchange ? exchange : null;
    }

    private static Exchange required(ServletRequest request) {
        Exchange exchange = of(request);
        if (exchange == null) {
            throw new IllegalStateException(
                    "this request is not handled under an idempotency key: it has none, its method is not guarded, or"
                            + " IdempotencyFilter is not mapped to it. Ask IdempotencyFilter.isGuarded(request) first");
        }
        return exchange;
    }

    static void begin(ServletRequest request) {
        required(request).begun = true;
    }

    static HandlerContext context(ServletRequest request) {
        Exchange exchange = required(request);
        HandlerContext context = exchange.context;
        if (context == null) {
            throw new IllegalStateException(
                    "this request is handled in steps: write in IdempotencyFilter.steps(request).inTransaction(…)");
        }
        exchange.begun = true;
        return context;
    }

    static Steps<?> steps(ServletRequest request) {
        Exchange exchange = required(request);
        Steps<?> steps = exchange.steps;
        if (steps == null) {
            throw new IllegalStateException(
                    "this request is handled in one transaction: name it with IdempotencyFilterBuilder.inSteps, or write by"
                            + " IdempotencyFilter.context(request)");
        }
        exchange.begun = true;
        return steps;
    }

    boolean isInSteps() {
        return steps != null;
    }

    /** Whether the application has begun to handle the request. */
    boolean hasBegun() {
        return begun;
    }
}
