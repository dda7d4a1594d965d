package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CanonicalJsonTest {
    private static String canonical(String json) {
        return new String(
                BodyCanonicalizer.json().canonical("application/json", json.getBytes(StandardCharsets.UTF_8)),
                StandardCharsets.UTF_8);
    }

    /** The example of RFC 8785, 3.2.2, with its result of 3.2.3. */
    @Test
    void exampleOfTheStandardBecomesItsResult() {
        assertThat(canonical("""
                {
                  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                  "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
                  "literals": [null, true, false]
                }"""))
                .isEqualTo("{\"literals\":[null,true,false],"
                        + "\"numbers\":[333333333.33333329,1e+30,4.5,0.002,1e-27],"
                        + "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    }

    /** The example of RFC 8785, 3.2.3. */
    @Test
    void namesAreSortedByTheirUtf16Units() {
        assertThat(
                        canonical(
                                "{\"\\u20ac\":1,\"\\r\":2,\"\\ufb33\":3,\"1\":4,\"\\ud83d\\ude00\":5,\"\\u0080\":6,\"\\u00f6\":7}"))
                .isEqualTo(
                        "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00f6\":7,\"\u20ac\":1,\"\ud83d\ude00\":5,\"\ufb33\":3}");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "0.0, 0",
        "1.0, 1",
        "-1.50, -1.5",
        "1e2, 100",
        "1E+2, 100",
        "100, 100",
        "1e21, 1e+21",
        "1e20, 100000000000000000000",
        "1e-6, 0.000001",
        "1e-7, 1e-7",
        "123e-9, 1.23e-7",
        "9007199254740992, 9007199254740992",
        "5e-324, 5e-324",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "0.1, 0.1",
        "2e-3, 0.002"
    })
    void numbersHaveOneSpelling(String number, String expected) {
        assertThat(canonical(number)).isEqualTo(expected);
    }

    /** Two of them could be one double. */
    @ParameterizedTest
    @ValueSource(
            strings = {"9007199254740993", "0.1000000000000000055511151231257827", "1e400", "1e-400", "1e999999999999"})
    void numbersThatADoubleCannotHoldStayDifferent(String number) {
        assertThat(canonical(number))
                .isNotEqualTo(canonical("9007199254740992"))
                .isNotEqualTo(canonical("0.1"));
        assertThat(canonical(number)).isNotEqualTo("0").doesNotContain("Infinity");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[1,]",
                "{\"a\":1,}",
                "{\"a\":1,\"a\":2}",
                "[1 2]",
                "01",
                "1.",
                ".5",
                "+1",
                "nul",
                "'a'",
                "\"a",
                "\"\\x\"",
                "\"\\u12g4\"",
                "{} {}",
                "{a:1}",
                "\"\t\"",
                "-",
                "1e"
            })
    void whatIsNoJsonStaysAsItCame(String text) {
        assertThat(canonical(text)).isEqualTo(text);
    }

    @Test
    void whatIsNestedTooDeepStaysAsItCame() {
        String deep = " " + "[".repeat(10_000) + "]".repeat(10_000);
        assertThat(canonical(deep)).isEqualTo(deep);
        assertThat(canonical(" " + "[".repeat(100) + "]".repeat(100))).startsWith("[[");
    }

    @Test
    void otherTypesStayAsTheyCame() {
        byte[] body = "{ }".getBytes(StandardCharsets.UTF_8);
        assertThat(BodyCanonicalizer.json().canonical("text/plain", body)).isSameAs(body);
        assertThat(BodyCanonicalizer.json().canonical(null, body)).isSameAs(body);
        assertThat(BodyCanonicalizer.json().canonical("application/merge-patch+json; charset=utf-8", body))
                .isEqualTo("{}".getBytes(StandardCharsets.UTF_8));
        byte[] odd = {'"', (byte) 0xFF, '"'};
        assertThat(BodyCanonicalizer.json().canonical("application/json", odd)).isSameAs(odd);
    }

    @Test
    void halvesOfSurrogatePairsStayDifferent() {
        assertThat(canonical("\"\\ud800\"")).isEqualTo("\"\\ud800\"").isNotEqualTo(canonical("\"\\ud801\""));
    }

    /** In whichever number of digits it comes. */
    @Test
    void numberIsWrittenAsItsDoubleWhereThatIsWrittenInTheSameDigits() {
        Random random = new Random(8785);
        for (int i = 0; i < 20_000; i++) {
            double number = i % 4 == 0
                    ? Math.scalb(1.0, random.nextInt(2_000) - 1_074)
                    : Double.longBitsToDouble(random.nextLong(0x7ff0000000000000L));
            int digits = 1 + random.nextInt(18);
            BigDecimal text =
                    new BigDecimal(number).round(new MathContext(digits)).stripTrailingZeros();
            if (text.signum() == 0 || text.doubleValue() == 0 || Double.isInfinite(text.doubleValue())) {
                continue;
            }
            boolean isShortest = shortest(text.doubleValue()).compareTo(text) == 0;
            String canonical = canonical(text.toString());
            assertThat(new BigDecimal(canonical)).isEqualByComparingTo(text);
            if (!isShortest) {
                assertThat(canonical).isEqualTo(text.toString());
            } else if (text.abs().compareTo(new BigDecimal("1e-7")) < 0) {
                assertThat(canonical).contains("e-").doesNotContain("E");
            }
        }
    }

    private static BigDecimal shortest(double number) {
        BigDecimal exact = new BigDecimal(number);
        return IntStream.rangeClosed(1, 17)
                .mapToObj(digits -> exact.round(new MathContext(digits)))
                .filter(rounded -> rounded.doubleValue() == number)
                .findFirst()
                .orElseThrow();
    }
}
