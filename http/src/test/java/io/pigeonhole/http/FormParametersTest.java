package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FormParametersTest {
    @Test
    void queryComesBeforeTheForm() {
        Map<String, String[]> parameters = FormParameters.of(
                "a=1&b=%C3%A4", "a=2+3&c&d=%26&&e=%zz".getBytes(StandardCharsets.US_ASCII), StandardCharsets.UTF_8);

        assertThat(parameters.keySet()).containsExactly("a", "b", "c", "d", "e");
        assertThat(parameters.get("a")).containsExactly("1", "2 3");
        assertThat(parameters.get("b")).containsExactly("\u00e4");
        assertThat(parameters.get("c")).containsExactly("");
        assertThat(parameters.get("d")).containsExactly("&");
        assertThat(parameters.get("e")).containsExactly("%zz");
    }

    @Test
    void nothingHasNoParameters() {
        assertThat(FormParameters.of(null, new byte[0], StandardCharsets.UTF_8)).isEmpty();
    }
}
