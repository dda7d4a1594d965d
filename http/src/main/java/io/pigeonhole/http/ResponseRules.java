package io.pigeonhole.http;

import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What is stored of responses.
 *
 * @param policy which of them
 * @param headers the names of those headers that are stored, in small letters
 * @param problemTypes what the types of problems begin with
 */
record ResponseRules(StorePolicy policy, Set<String> headers, String problemTypes) {
    /** Never stored, because they say something of one moment or one recipient; each in small letters. */
    static final Set<String> NEVER_STORED = Set.of(
            "set-cookie",
            "set-cookie2",
            "authorization",
            "proxy-authenticate",
            "proxy-authorization",
            "www-authenticate",
            "authentication-info",
            "connection",
            "keep-alive",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "date",
            "age",
            "content-length");

    private static final Set<String> OF_CONTENT = Set.of(
            "content-type",
            "content-length",
            "content-encoding",
            "content-language",
            "content-disposition",
            "content-location",
            "content-range",
            "content-md5",
            "content-digest");

    static final List<String> STORED = List.of(
            "content-type",
            "content-encoding",
            "content-language",
            "content-disposition",
            "content-location",
            "location",
            "etag",
            "last-modified",
            "link");

    /** They say that the request was not handled. */
    private static final Set<Integer> NOT_HANDLED = Set.of(401, 403, 405, 406, 407, 415, 421, 429, 503);

    /** What stays of a response. */
    Reply.Retention retention(int status, boolean begun) {
        if (NOT_HANDLED.contains(status)) {
            return Reply.Retention.ROLL_BACK;
        }
        if (status < 300) {
            return Reply.Retention.COMMIT;
        }
        if (status < 400) {
            // Before that it may be one to a page where users sign in.
            return begun ? Reply.Retention.COMMIT : Reply.Retention.ROLL_BACK;
        }
        if (status < 500) {
            return begun && policy != StorePolicy.SUCCESSES ? Reply.Retention.COMMIT : Reply.Retention.ROLL_BACK;
        }
        return begun && policy == StorePolicy.ALL ? Reply.Retention.COMMIT_RESPONSE_ONLY : Reply.Retention.ROLL_BACK;
    }

    StoredResponse stored(GuardedResponse response) {
        return response.isError()
                ? problem(Problem.of(response.getStatus(), response.errorMessage()), storedHeaders(response, true))
                : new StoredResponse(response.getStatus(), storedHeaders(response, false), response.body());
    }

    StoredResponse problem(Problem problem, Headers more) {
        return new StoredResponse(
                problem.status(),
                more.with("Content-Type", Problem.CONTENT_TYPE),
                problem.json(problemTypes).getBytes(StandardCharsets.US_ASCII));
    }

    /** Whether a header describes the bytes of the body. */
    static boolean isOfContent(String name) {
        return OF_CONTENT.contains(name.toLowerCase(Locale.ROOT));
    }

    /** What the container takes for that of an answer. */
    static boolean isStatus(int status) {
        return status >= 200 && status <= 599;
    }

    private Headers storedHeaders(GuardedResponse response, boolean withoutContent) {
        Headers stored = Headers.none();
        for (Map.Entry<String, List<String>> header : response.allHeaders().entrySet()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (headers.contains(name) && !(withoutContent && isOfContent(name))) {
                for (String value : header.getValue()) {
                    stored = stored.with(header.getKey(), value);
                }
            }
        }
        return stored;
    }
}
