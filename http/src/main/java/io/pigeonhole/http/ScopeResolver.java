package io.pigeonhole.http;

import io.pigeonhole.core.idempotency.RequestScope;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Says whose idempotency key a request has. Safe for use by many threads. */
@FunctionalInterface
public interface ScopeResolver {
    /**
     * The scope of a request.
     *
     * @param request behind whatever authenticates it
     * @return tenant and principal; null where it is not known, and then the request is refused, as it is where both are null or blank
     */
    @Nullable
    RequestScope resolve(HttpServletRequest request);
}
