package io.pigeonhole.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** What a test's servlet does. */
@FunctionalInterface
interface Application {
    void handle(HttpServletRequest request, HttpServletResponse response) throws Exception;
}
