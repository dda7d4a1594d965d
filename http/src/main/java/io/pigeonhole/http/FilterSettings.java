package io.pigeonhole.http;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a builder has collected; each is explained there. */
record FilterSettings<C extends HandlerContext>(
        IdempotentRequests<C> requests,
        String header,
        boolean strict,
        boolean required,
        Set<String> methods,
        ScopeResolver scope,
        boolean anonymous,
        Function<HttpServletRequest, String> operation,
        RequestDigest digest,
        int largestRequest,
        boolean passesLargeRequests,
        int largestMultipart,
        int largestResponse,
        ResponseRules rules,
        int statusOfReuse,
        @Nullable ReplayGuard replayGuard,
        Predicate<HttpServletRequest> inSteps,
        String problemTypes,
        @Nullable String documentation) {}
