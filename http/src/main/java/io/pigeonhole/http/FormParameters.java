package io.pigeonhole.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
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
    static Map<String, String[]> added(HttpServletRequest request, byte[] form, Charset charset) {
        Map<String, String[]> read = request.getParameterMap();
        Map<String, String[]> own = of(null, form, charset);
        int inQueries = queries(request, request).stream()
                .mapToInt(query -> count(of(query, NONE, StandardCharsets.UTF_8)))
                .sum();
        if (count(read) > inQueries
                && own.entrySet().stream().allMatch(each -> endsWith(read.get(each.getKey()), each.getValue()))) {
            return read;
        }
        Map<String, String[]> all = new LinkedHashMap<>(read);
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

    /**
     * Whether the container has read the form for its parameters: it has some that no query has. What wrappers in front add, hide or repeat
     * says nothing.
     */
    static boolean areRead(HttpServletRequest request) {
        HttpServletRequest container = request;
        while (container instanceof HttpServletRequestWrapper wrapper
                && wrapper.getRequest() instanceof HttpServletRequest wrapped) {
            container = wrapped;
        }
        if (!Redispatch.isRedispatched(request)) {
            return count(container.getParameterMap())
                    > count(of(container.getQueryString(), NONE, StandardCharsets.UTF_8));
        }
        Map<String, Set<String>> ofQueries = new HashMap<>();
        for (String query : queries(request, container)) {
            of(query, NONE, StandardCharsets.UTF_8)
                    .forEach((name, values) -> ofQueries
                            .computeIfAbsent(name, each -> new HashSet<>())
                            .addAll(List.of(values)));
        }
        return container.getParameterMap().entrySet().stream()
                .anyMatch(
                        each -> !ofQueries.getOrDefault(each.getKey(), Set.of()).containsAll(List.of(each.getValue())));
    }

    /** Of what was dispatched, and of what the client has sent, where that is hidden; null where there is none. */
    private static Set<@Nullable String> queries(HttpServletRequest request, HttpServletRequest container) {
        Set<@Nullable String> queries = new HashSet<>();
        queries.add(request.getQueryString());
        queries.add(container.getQueryString());
        queries.add((String) request.getAttribute(RequestDispatcher.FORWARD_QUERY_STRING));
        queries.add((String) request.getAttribute(AsyncContext.ASYNC_QUERY_STRING));
        return queries;
    }

    private static int count(Map<String, String[]> parameters) {
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
