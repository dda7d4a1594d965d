package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.pigeonhole.core.message.Message;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import javax.xml.datatype.XMLGregorianCalendar;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The time to decode a payload grows with its length, and not with the square of it. */
@Tag("E9")
class LongTextTest {
    private static final int LONG = 1_000_000;

    /** Far more than it takes, and far less than the hours of a search that goes back over all digits. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    record Times(
            Instant instant,
            Duration duration,
            Date old,
            XMLGregorianCalendar xml,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Instant number,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Duration seconds,
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss.SSS") Date pattern,
            Map<Double, Integer> byFraction,
            Map<BigDecimal, Integer> byDecimal,
            Map<BigInteger, Integer> byInteger) {}

    @ParameterizedTest
    @ValueSource(strings = {"instant", "duration", "old", "number", "seconds"})
    void textOfManyDigitsIsNoTimeAfterOneLook(String field) {
        String document = "{\"" + field + "\":\"" + "0".repeat(LONG) + "x\"}";

        assertTimeoutPreemptively(
                LIMIT,
                () -> assertThatThrownBy(() -> json(Times.class).decode(message(document)))
                        .hasMessageContaining("the document is no Times: " + field));
    }

    @ParameterizedTest
    @CsvSource({
        "number, 1.",
        "number, 1",
        "seconds, -1.",
        "xml, 2026-01-01T10:00:00.",
        "pattern, 1",
        "pattern, 2026-01-01 10:00:00.",
    })
    void textOfMoreCharactersThanANumberMayHaveIsNotReadAtAll(String field, String begin) {
        String document = "{\"" + field + "\":\"" + begin + "1".repeat(LONG) + "\"}";

        assertTimeoutPreemptively(
                LIMIT,
                () -> assertThatThrownBy(() -> json(Times.class).decode(message(document)))
                        .hasMessageContaining("the text has more than 1000 characters"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"byFraction", "byDecimal", "byInteger"})
    void keyOfMoreCharactersThanANumberMayHaveIsNotReadAtAll(String field) {
        assertThatThrownBy(
                        () -> json(Times.class).decode(message("{\"" + field + "\":{\"" + "1".repeat(1001) + "\":1}}")))
                .hasMessageContaining("the text has more than 1000 characters");
    }

    @Test
    void textOfAsManyCharactersAsANumberMayHaveIsRead() throws Exception {
        String digits = "1." + "0".repeat(998);

        Times read = json(Times.class)
                .decode(message("{\"number\":\"" + digits + "\",\"byDecimal\":{\"" + digits + "\":1}}"));

        assertThat(read.number()).isEqualTo("1970-01-01T00:00:01Z");
        assertThat(read.byDecimal()).containsOnlyKeys(new BigDecimal(digits));
    }

    private static Message message(String payload) {
        return Message.builder("payments").id("1").payload(payload).build();
    }
}
