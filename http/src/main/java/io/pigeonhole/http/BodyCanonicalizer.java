package io.pigeonhole.http;

import org.jspecify.annotations.Nullable;

/**
 * Brings the body of a request into the form that its fingerprint is made of, so that two spellings of the same content are the same
 * request. Safe for use by many threads.
 */
@FunctionalInterface
public interface BodyCanonicalizer {
    /**
     * Brings a body into its form.
     *
     * @param contentType of the request, or null
     * @param body as it came; not to be changed
     * @return the form, or the body itself where there is no other
     */
    byte[] canonical(@Nullable String contentType, byte[] body);

    /**
     * Takes the bytes as they came.
     *
     * @return one that changes nothing
     */
    static BodyCanonicalizer bytes() {
        return (contentType, body) -> body;
    }

    /**
     * JSON as RFC 8785 has it: without blanks, names in order, one spelling of each number and string. What is no JSON, or not of a type that
     * ends with {@code json}, stays as it came. A number that a {@code double} cannot hold keeps its digits, so that two numbers that differ
     * never have one form.
     *
     * @return one for JSON
     */
    static BodyCanonicalizer json() {
        return CanonicalJson::canonical;
    }
}
