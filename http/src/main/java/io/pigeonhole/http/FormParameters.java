package io.pigeonhole.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The parameters of a query and of a form, which a container could not read any more: the body is read already. */
final class FormParameters {
    private static final byte[] NONE = {};

    private FormParameters() {}

    /** Those of the query first. */
    static Map<String, String[]> of(@Nullable String query, byte[] form, Charset charset) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        add(parameters, query == null ? "" : query, StandardCharsets.UTF_8);
        add(parameters, new String(form, StandardCharsets.ISO_8859_1), charset);
        Map<String, String[]> arrays = new LinkedHashMap<>();
        parameters.forEach((name, values) -> arrays.put(name, values.toArray(new String[0])));
        return arrays;
    }

    /** Those of a form behind what the container has read of queries, unless something in front has added them already. */
    static Map<String, String[]> added(Map<String, String[]> queries, byte[] form, Charset charset) {
        Map<String, String[]> own = of(null, form, charset);
        if (own.entrySet().stream().allMatch(each -> endsWith(queries.get(each.getKey()), each.getValue()))) {
            return queries;
        }
        Map<String, String[]> all = new LinkedHashMap<>(queries);
        own.forEach((name, values) -> all.merge(name, values, FormParameters::joined));
        return all;
    }

    private static boolean endsWith(String @Nullable [] values, String[] last) {
        if (values == null || values.length < last.length) {
            return false;
        }
        return Arrays.equals(values, values.length - last.length, values.length, last, 0, last.length);
    }

    private static String[] joined(String[] first, String[] second) {
        return Stream.of(first, second).flatMap(Stream::of).toArray(String[]::new);
    }

    /** How many values the queries of a request have: of what was dispatched, and of what the client has sent, where that is hidden. */
    static int inQueries(HttpServletRequest request) {
        Set<String> queries = new HashSet<>();
        queries.add(request.getQueryString());
        queries.add((String) request.getAttribute(RequestDispatcher.FORWARD_QUERY_STRING));
        queries.add((String) request.getAttribute(AsyncContext.ASYNC_QUERY_STRING));
        return queries.stream()
                .mapToInt(query -> count(of(query, NONE, StandardCharsets.UTF_8)))
                .sum();
    }

    static int count(Map<String, String[]> parameters) {
        return parameters.values().stream().mapToInt(each -> each.length).sum();
    }

    private static void add(Map<String, List<String>> parameters, String encoded, Charset charset) {
        for (String pair : encoded.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals), charset);
            String value = equals < 0 ? "" : decode(pair.substring(equals + 1), charset);
            parameters.computeIfAbsent(name, each -> new ArrayList<>()).add(value);
        }
    }

    static String decode(String encoded, Charset charset) {
        try {
            return URLDecoder.decode(encoded, charset);
        } catch (IllegalArgumentException e) {
            // A percent sign without two digits behind it.
            return encoded;
        }
    }
}
