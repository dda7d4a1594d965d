package io.pigeonhole.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Tells a request that is dispatched again from what is only a part of one: a page for an error or a refusal, or a view. A part is no request
 * of its own, also where nothing is guarded any more when it is dispatched.
 */
final class Redispatch {
    private static final String PATH = Redispatch.class.getName() + ".path";

    private Redispatch() {}

    /** Remembers for as long as the request lives that it came to be guarded, and under which path. */
    static void remember(HttpServletRequest request) {
        request.setAttribute(PATH, request.getRequestURI());
    }

    static boolean isPartOfARequest(HttpServletRequest request, HttpServletResponse response) {
        return switch (request.getDispatcherType()) {
            case ERROR, INCLUDE -> true;
            case REQUEST -> IdempotencyFilter.isGuarded(request);
            case FORWARD, ASYNC ->
                IdempotencyFilter.isGuarded(request)
                        || isForAnError(request)
                        || response.getStatus() >= HttpServletResponse.SC_BAD_REQUEST
                        || wasGuardedUnderAnotherPath(request);
        };
    }

    /** Whether parameters may come from a query that {@code getQueryString} does not have. */
    static boolean isRedispatched(HttpServletRequest request) {
        return request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI) != null
                || request.getAttribute(AsyncContext.ASYNC_REQUEST_URI) != null;
    }

    /** The dispatch for the error itself is not seen where it is one of the container's to a page that forwards. */
    private static boolean isForAnError(HttpServletRequest request) {
        return request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) != null
                || request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) != null;
    }

    /** Under the same path it is the request once more, that something in front tries again. */
    private static boolean wasGuardedUnderAnotherPath(HttpServletRequest request) {
        Object path = request.getAttribute(PATH);
        return path != null && !path.equals(request.getRequestURI());
    }
}
