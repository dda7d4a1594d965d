package io.pigeonhole.http;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Says whether a stored response may be given again. What the application checks within its methods does not run for a retry, so what has
 * been taken away from a principal meanwhile has to be asked here. Safe for use by many threads.
 */
@FunctionalInterface
public interface ReplayGuard {
    /**
     * Checks a retry.
     *
     * @param request the retry
     * @return false if who sends it may not see the response any more
     */
    boolean mayReplay(HttpServletRequest request);
}
