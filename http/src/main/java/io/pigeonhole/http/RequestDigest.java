package io.pigeonhole.http;

import io.pigeonhole.core.idempotency.Fingerprint;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes the fingerprint of a request: method, operation, path, query, chosen headers, and the body or the parts of a form. What it is made
 * of is stored as a digest, so it must stay as it is.
 *
 * @param headers the names of those that count
 * @param canonicalizer of bodies
 */
record RequestDigest(List<String> headers, BodyCanonicalizer canonicalizer) {
    private static final Pattern SESSION = Pattern.compile(";jsessionid=[^;/]*", Pattern.CASE_INSENSITIVE);

    Fingerprint of(HttpServletRequest request, String operation, byte[] body) {
        return begin(request, operation)
                .add("body")
                .add(canonicalizer.canonical(GuardedRequest.contentType(request), body))
                .build();
    }

    private Fingerprint.Builder begin(HttpServletRequest request, String operation) {
        Fingerprint.Builder digest = Fingerprint.builder()
                .add(request.getMethod())
                .add(operation)
                .add(path(request.getRequestURI()))
                .add(canonicalQuery(request.getQueryString()));
        addOrigin(digest, request, RequestDispatcher.FORWARD_REQUEST_URI, RequestDispatcher.FORWARD_QUERY_STRING);
        addOrigin(digest, request, AsyncContext.ASYNC_REQUEST_URI, AsyncContext.ASYNC_QUERY_STRING);
        for (String name : headers) {
            List<String> values = Collections.list(request.getHeaders(name));
            digest.add(name).add(String.valueOf(values.size()));
            values.forEach(value -> digest.add(value.strip()));
        }
        return digest;
    }

    /** Without the session, which is another one when the client has signed in again. */
    private static String path(String uri) {
        return SESSION.matcher(uri).replaceAll("");
    }

    /** A dispatch may hide the path and the query that the client has sent, whose parameters the servlet sees nevertheless. */
    private static void addOrigin(Fingerprint.Builder digest, HttpServletRequest request, String uri, String query) {
        if (request.getAttribute(uri) instanceof String sent) {
            String parameters = request.getAttribute(query) instanceof String text ? text : null;
            boolean isHidden =
                    !sent.equals(request.getRequestURI()) || !Objects.equals(parameters, request.getQueryString());
            if (isHidden) {
                digest.add("dispatched").add(path(sent)).add(canonicalQuery(parameters));
            }
        }
    }

    /** The order of parameters of different names says nothing; a name may be encoded in several ways. */
    private static @Nullable String canonicalQuery(@Nullable String query) {
        if (query == null || query.isEmpty()) {
            return null;
        }
        String[] pairs = query.split("&", -1);
        Arrays.sort(pairs, (one, other) -> name(one).compareTo(name(other)));
        return String.join("&", pairs);
    }

    private static String name(String pair) {
        return FormParameters.decode(pair.split("=", 2)[0], StandardCharsets.UTF_8);
    }

    /** Of a form that the container has read, because a filter in front has asked for a parameter. */
    Fingerprint ofParameters(HttpServletRequest request, String operation) {
        Fingerprint.Builder digest = begin(request, operation).add("parameters");
        new TreeMap<>(request.getParameterMap()).forEach((name, values) -> {
            digest.add(name).add(String.valueOf(values.length));
            for (String value : values) {
                digest.add(value);
            }
        });
        return digest.build();
    }

    /** The boundary between parts is another one in each retry, so that their contents count. Null where they have more bytes. */
    @Nullable
    Fingerprint ofParts(HttpServletRequest request, String operation, int largest)
            throws IOException, ServletException {
        Fingerprint.Builder digest = begin(request, operation).add("parts");
        long bytes = 0;
        for (Part part : request.getParts()) {
            bytes += part.getSize();
            if (bytes > largest) {
                return null;
            }
            digest.add(part.getName()).add(part.getSubmittedFileName()).add(part.getContentType());
            try (InputStream in = part.getInputStream()) {
                digest.add(in.readAllBytes());
            }
        }
        return digest.build();
    }
}
