package io.pigeonhole.http;

/**
 * What a client is answered where its request is not handled, as RFC 9457 has it.
 *
 * @param type the last part of the problem's type, which never changes
 * @param status the status code
 * @param title what kind of problem it is, in words
 * @param detail what it is this time, with what to do next
 */
record Problem(String type, int status, String title, String detail) {
    static final String CONTENT_TYPE = "application/problem+json";

    static Problem required(String header) {
        return new Problem(
                "idempotency-key-required",
                400,
                "An idempotency key is required",
                "Send the header " + header
                        + " with a key of your own for each operation, and the same one with each retry.");
    }

    static Problem invalid(String header, String defect) {
        return new Problem(
                "idempotency-key-invalid",
                400,
                "The idempotency key cannot be used",
                "The header " + header + " is refused: " + defect + ".");
    }

    static Problem inProgress() {
        return new Problem(
                "idempotency-key-in-progress",
                409,
                "A request with this idempotency key is being handled",
                "Send the same request again later, to get its response.");
    }

    static Problem reused(int status) {
        return new Problem(
                "idempotency-key-reused",
                status,
                "The idempotency key was used for another request",
                "Send a new key with a new request, and the same request with the same key.");
    }

    static Problem notReplayable(int status) {
        return new Problem(
                "idempotency-key-not-replayable",
                409,
                "The response cannot be given again",
                "The request was handled and answered with status " + status
                        + "; its response was too large to be kept. Do not send it with a new key: look for its result instead.");
    }

    static Problem principalRequired() {
        return new Problem(
                "idempotency-principal-required",
                403,
                "An idempotency key needs a principal",
                "It is not known whose key this is: authenticate first.");
    }

    static Problem replayRefused() {
        return new Problem(
                "idempotency-replay-refused",
                403,
                "The response may not be given again",
                "Who sends this request may not do what it asks for any more.");
    }

    static Problem tooLarge(int largest) {
        return new Problem(
                "idempotency-request-too-large",
                413,
                "The request is too large for an idempotency key",
                "A request with an idempotency key may have " + largest + " bytes.");
    }

    static Problem multipart() {
        return new Problem(
                "idempotency-multipart-not-supported",
                415,
                "A request of several parts takes no idempotency key here",
                "Send the request without an idempotency key, or its content in another form.");
    }

    static Problem unavailable() {
        return new Problem(
                "idempotency-temporarily-unavailable",
                503,
                "The request was not handled for certain",
                "Send the same request with the same idempotency key again: it takes effect once.");
    }

    static Problem failed() {
        return new Problem(
                "idempotency-request-failed",
                500,
                "The request failed",
                "This response is given again for this idempotency key. Send a new key to try again.");
    }

    static Problem of(int status, String detail) {
        return new Problem("", status, "", detail);
    }

    /** The JSON. */
    String json(String types) {
        StringBuilder json = new StringBuilder("{\"type\":");
        string(json, type.isEmpty() ? "about:blank" : types + type);
        if (!title.isEmpty()) {
            json.append(",\"title\":");
            string(json, title);
        }
        json.append(",\"status\":").append(status);
        if (!detail.isEmpty()) {
            json.append(",\"detail\":");
            string(json, detail);
        }
        return json.append('}').toString();
    }

    private static void string(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
