package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProblemTest {
    @Test
    void textOfOthersIsEscaped() {
        assertThat(Problem.of(409, "a \"b\" \\ \n \u20ac").json("x:"))
                .isEqualTo("{\"type\":\"about:blank\",\"status\":409,\"detail\":\"a \\\"b\\\" \\\\ \\u000a \\u20ac\"}");
    }

    @Test
    void problemHasItsType() {
        assertThat(Problem.required("Idempotency-Key").json("https://example.com/"))
                .startsWith("{\"type\":\"https://example.com/idempotency-key-required\",\"title\":\"")
                .contains("Idempotency-Key");
    }
}
