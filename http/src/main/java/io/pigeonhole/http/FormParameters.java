package io.pigeonhole.http;

import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a query and of a form, which a container could not read any more: the body is read already. */
final class FormParameters {
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

    private static String decode(String encoded, Charset charset) {
        try {
            return URLDecoder.decode(encoded, charset);
        } catch (IllegalArgumentException e) {
            // A percent sign without two digits behind it.
            return encoded;
        }
    }
}
