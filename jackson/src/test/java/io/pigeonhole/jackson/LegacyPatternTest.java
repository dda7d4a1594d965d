package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.OptBoolean;
import io.pigeonhole.core.message.Message;
import java.util.Calendar;
import java.util.Date;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns of {@link Date} and {@link Calendar}: a text that the date would not be written as is refused. */
@Tag("E9")
class LegacyPatternTest {
    record Dates(
            @JsonFormat(pattern = "YYYY-MM-dd") @Nullable Date yearOfWeek,
            @JsonFormat(pattern = "YYYY-'W'ww-u") @Nullable Date week,

            @JsonFormat(pattern = "yyyy-MM-dd hh:mm") @Nullable
            Date half,

            @JsonFormat(pattern = "yyyy-MM-dd KK:mm") @Nullable
            Calendar fromZero,

            @JsonFormat(pattern = "yyyy-MM-dd hh:mm a", locale = "en") @Nullable
            Date afternoon,

            @JsonFormat(pattern = "dd.MM.yyyy") @Nullable Date year,
            @JsonFormat(pattern = "d.M.yyyy") @Nullable Date shorter,
            @JsonFormat(pattern = "dd.MM.yy") @Nullable Date ofCentury,

            @JsonFormat(pattern = "EEE, d MMM yyyy HH:mm:ss z", locale = "en") @Nullable
            Date mail,

            @JsonFormat(pattern = "yyyy-MM-dd'T'HH:mm:ssXXX") @Nullable
            Calendar offset,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm", timezone = "Europe/Berlin") @Nullable
            Date inBerlin,

            @JsonFormat(pattern = "yyyy-MM-dd hh:mm", lenient = OptBoolean.TRUE) @Nullable
            Date lenient) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"yearOfWeek\":\"2026-05-07\"}",
                "{\"yearOfWeek\":\"2026-12-28\"}",
                "{\"half\":\"2026-01-01 12:30\"}",
                "{\"fromZero\":\"2026-01-01 11:30\"}",
                "{\"afternoon\":\"2026-01-01 13:30 PM\"}",
                "{\"year\":\"01.02.26\"}",
                "{\"year\":\"1.2.2026\"}",
                "{\"ofCentury\":\"01.02.1926\"}",
                "{\"mail\":\"Mon, 22 Nov 2026 10:00:00 GMT\"}",
                "{\"offset\":\"26-11-22T10:00:00Z\"}",
                "{\"inBerlin\":\"2026-03-29 02:30\"}",
            })
    void textThatThePatternWouldNotWriteIsRefused(String document) {
        assertThatThrownBy(() -> json(Dates.class).decode(message(document)))
                .hasMessageContaining("the pattern of the type");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "week | 2026-W05-3 | 2026-01-28T00:00:00Z",
                "afternoon | 2026-01-01 12:30 PM | 2026-01-01T12:30:00Z",
                "afternoon | 2026-01-01 12:30 am | 2026-01-01T00:30:00Z",
                "year | 01.02.2026 | 2026-02-01T00:00:00Z",
                "shorter | 1.2.2026 | 2026-02-01T00:00:00Z",
                "ofCentury | 01.02.26 | 2026-02-01T00:00:00Z",
                "mail | Sun, 22 NOV 2026 10:00:00 GMT | 2026-11-22T10:00:00Z",
                "mail | Wed, 1 Jul 2026 10:00:00 EST | 2026-07-01T15:00:00Z",
                "mail | Wed, 1 Jul 2026 10:00:00 -0800 | 2026-07-01T18:00:00Z",
                "offset | 2026-11-22T10:00:00+00:00 | 2026-11-22T10:00:00Z",
                "offset | 2026-11-22T10:00:00-05:30 | 2026-11-22T15:30:00Z",
                "inBerlin | 2026-03-29 03:30 | 2026-03-29T01:30:00Z",
                "inBerlin | 2026-10-25 02:30 | 2026-10-25T01:30:00Z",
                "lenient | 2026-02-30 12:30 | 2026-03-02T00:30:00Z",
            })
    void textThatThePatternWritesIsReadWhateverItsZoneIsCalled(String field, String text, String expected)
            throws Exception {
        Dates read = json(Dates.class).decode(message("{\"" + field + "\":\"" + text + "\"}"));

        assertThat(moments(read)).containsExactly(expected);
    }

    private static Stream<String> moments(Dates read) {
        return Stream.concat(
                        Stream.of(
                                read.week(),
                                read.afternoon(),
                                read.year(),
                                read.shorter(),
                                read.ofCentury(),
                                read.mail(),
                                read.inBerlin(),
                                read.lenient()),
                        Stream.ofNullable(read.offset()).map(Calendar::getTime))
                .filter(Objects::nonNull)
                .map(date -> date.toInstant().toString());
    }

    private static Message message(String payload) {
        return Message.builder("payments").id("1").payload(payload).build();
    }
}
