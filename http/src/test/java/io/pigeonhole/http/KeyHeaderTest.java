package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyHeaderTest {
    private static KeyHeader parse(String... values) {
        return KeyHeader.parse(List.of(values), false);
    }

    @Test
    void noHeaderIsNoKey() {
        assertThat(parse().isMissing()).isTrue();
        assertThat(parse("a").isMissing()).isFalse();
        assertThat(parse("").isMissing()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            value = {
                "abc, abc",
                "'  abc ', abc",
                "'\"abc\"', abc",
                "'\"a b\"', a b",
                "'\"a\\\\b\\\"c\"', a\\b\"c",
                "'\"abc\";v=1', abc",
                "'\"a,b\"', 'a,b'",
                "8e03978e-40d5-43e8-bc93-6894a57f9324, 8e03978e-40d5-43e8-bc93-6894a57f9324"
            })
    void keyIsReadWithAndWithoutQuotes(String value, String key) {
        assertThat(parse(value).key()).isEqualTo(key);
        assertThat(parse(value).defect()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\"\"",
                "\" \"",
                "two words",
                "a,b",
                "a\"b",
                "a\u0007",
                "\u00e4",
                "\"open",
                "\"a\" b",
                "\"a\", \"b\"",
                "\"a\\b\"",
                "\"a\\",
                "\"\u00e4\"",
                "\"tab\there\""
            })
    void whatIsNoKeyIsRefused(String value) {
        assertThat(parse(value).key()).isNull();
        assertThat(parse(value).defect()).isNotEmpty();
    }

    @Test
    void keyHasAtMost255Characters() {
        assertThat(parse("a".repeat(255)).key()).hasSize(255);
        assertThat(parse("a".repeat(256)).defect()).contains("256", "255");
        assertThat(parse('"' + "\\\\".repeat(255) + '"').key()).hasSize(255);
    }

    @Test
    void headerMayComeTwiceWithTheSameKeyOnly() {
        assertThat(parse("abc", "\"abc\"").key()).isEqualTo("abc");
        assertThat(parse("abc", "abd").defect()).contains("more than once");
        assertThat(parse("abc", "").key()).isNull();
    }

    @Test
    void bareKeyIsRefusedWhereStringsAreAskedFor() {
        assertThat(KeyHeader.parse(List.of("abc"), true).defect()).contains("double quotes");
        assertThat(KeyHeader.parse(List.of("\"abc\""), true).key()).isEqualTo("abc");
    }
}
