package io.pigeonhole.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Tells a request that is dispatched again from what is only a part of one, such as a page for an error. Where it is in doubt, it is a
 * request, and guarded.
 */
final class Redispatch {
    private static final String ANSWERED = Redispatch.class.getName() + ".answered";

    private Redispatch() {}

    static boolean isPartOfARequest(HttpServletRequest request) {
        return switch (request.getDispatcherType()) {
            case ERROR, INCLUDE -> true;
            case REQUEST, ASYNC -> IdempotencyFilter.isGuarded(request);
            case FORWARD -> IdempotencyFilter.isGuarded(request) || isForAnError(request);
        };
    }

    /** The status of its response is a filter's from here on, for requests with other keys, and not that of something in front. */
    static void answered(HttpServletRequest request, @Nullable String key) {
        request.setAttribute(ANSWERED, key == null ? "" : key);
    }

    /** What something in front has set, where it is a status; else that of a response that nothing has been set in. */
    static int statusOfTheFront(HttpServletRequest request, HttpServletResponse response, @Nullable String key) {
        int status = response.getStatus();
        Object answered = request.getAttribute(ANSWERED);
        return ResponseRules.isStatus(status) && (answered == null || answered.equals(key))
                ? status
                : HttpServletResponse.SC_OK;
    }

    /** Whether something in front has refused it, and shows a page for that. */
    static boolean isPageOfARefusal(HttpServletRequest request, HttpServletResponse response, @Nullable String key) {
        return request.getDispatcherType() == DispatcherType.FORWARD
                && statusOfTheFront(request, response, key) >= HttpServletResponse.SC_BAD_REQUEST;
    }

    /** Whether parameters may come from a query that {@code getQueryString} does not have. */
    static boolean isRedispatched(HttpServletRequest request) {
        return request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI) != null
                || request.getAttribute(AsyncContext.ASYNC_REQUEST_URI) != null;
    }

    /** The dispatch for the error itself is not seen where it is one of the container's to a page that forwards. */
    private static boolean isForAnError(HttpServletRequest request) {
        return request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) != null;
    }
}
