package io.pigeonhole.http;

import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Header;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends responses. A client that is gone by then is no failure: what was committed stays, and its retry is given the response.
 *
 * @param problemTypes what the types of problems begin with
 * @param documentation where clients read more, or null
 */
record Responder(String problemTypes, @Nullable String documentation) {
    private static final Logger LOG = LoggerFactory.getLogger(Responder.class);

    private static final String REPLAYED = "Idempotent-Replayed";

    /** Each value of them stands for itself, so that those of others stay; in small letters. */
    private static final Set<String> LISTS = Set.of("link", "vary", "access-control-expose-headers");

    void problem(HttpServletResponse response, Problem problem) {
        response.setHeader("Cache-Control", "no-store");
        if (documentation != null) {
            response.addHeader("Link", "<" + documentation + ">; rel=\"help\"");
        }
        byte[] body = problem.json(problemTypes).getBytes(StandardCharsets.US_ASCII);
        response.setContentType(Problem.CONTENT_TYPE);
        send(response, problem.status(), body);
    }

    void problem(HttpServletResponse response, Problem problem, Duration retryAfter) {
        response.setHeader("Retry-After", String.valueOf(Math.max(1, retryAfter.toSeconds())));
        problem(response, problem);
    }

    /** A script in a browser is to see whether a response was given again. */
    static void expose(HttpServletRequest request, HttpServletResponse response) {
        if (request.getHeader("Origin") != null) {
            response.addHeader("Access-Control-Expose-Headers", REPLAYED);
        }
    }

    void replay(HttpServletResponse response, StoredResponse stored) {
        response.setHeader(REPLAYED, "true");
        Set<String> seen = new HashSet<>(LISTS);
        for (Header header : stored.headers()) {
            if (isType(header)) {
                response.setContentType(value(header));
            } else if (seen.add(header.name().toLowerCase(Locale.ROOT))) {
                response.setHeader(header.name(), value(header));
            } else {
                response.addHeader(header.name(), value(header));
            }
        }
        send(response, stored.status(), stored.body());
    }

    /** The response of a request that was handled now, whose headers were copied before. */
    static void executed(HttpServletResponse response, StoredResponse stored) {
        for (Header header : stored.headers()) {
            if (isType(header)) {
                response.setContentType(value(header));
            }
        }
        send(response, stored.status(), stored.body());
    }

    private static boolean isType(Header header) {
        return header.name().equalsIgnoreCase("Content-Type");
    }

    private static String value(Header header) {
        byte[] bytes = header.value();
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    static void send(HttpServletResponse response, int status, byte[] body) {
        response.setStatus(status);
        response.setContentLengthLong(body.length);
        try {
            response.getOutputStream().write(body);
            response.flushBuffer();
        } catch (IOException e) {
            LOG.debug("a client is gone before it had its response, which its retry will get", e);
        }
    }
}
