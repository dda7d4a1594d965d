package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetTime;
import java.time.YearMonth;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dates and times that are arrays of numbers, because the type says so. */
@Tag("E9")
class TimeArraysTest {
    record Shift(
            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            LocalTime time,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            LocalDateTime local,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            LocalDate date,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            YearMonth month,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            MonthDay day,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            OffsetTime offset,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER) @Nullable
            LocalTime number,

            @JsonFormat(pattern = "uuuu-MM-dd") @Nullable LocalDate pattern,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            List<LocalTime> times,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            List<OffsetTime> offsets,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            Map<String, OffsetTime> byName,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) Optional<OffsetTime> optional,

            @JsonFormat(pattern = "HH:mmXXX") @Nullable OffsetTime offsetPattern,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER) @Nullable
            OffsetTime offsetNumber,

            @JsonFormat(
                    shape = JsonFormat.Shape.ARRAY,
                    without = JsonFormat.Feature.READ_DATE_TIMESTAMPS_AS_NANOSECONDS)
            @Nullable
            LocalDateTime localMillis,

            @JsonFormat(
                    shape = JsonFormat.Shape.NUMBER,
                    without = JsonFormat.Feature.READ_DATE_TIMESTAMPS_AS_NANOSECONDS)
            @Nullable
            LocalTime millis) {}

    private static Shift read(String field, String value) throws Exception {
        return json(Shift.class)
                .decode(Message.builder("shifts")
                        .id("1")
                        .payload(("{\"" + field + "\":" + value + "}").getBytes(StandardCharsets.UTF_8))
                        .build());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "time | [23,59.99]",
                "time | [8,30,1.999]",
                "time | [8,30,1,999.9]",
                "time | [8,30,1e1]",
                "local | [2026,2,3,10,30,59.9]",
                "local | [2026,2,3,10,30,59,1.5]",
                "date | [2026,2,3.0]",
                "month | [2026,2.5]",
                "day | [2.5,3]",
                "offset | [10,15,1.5,\"+01:00\"]",
                "number | [23,59.99]",
                "millis | [8,30,1,5.5]",
                "times | [[8,30],[8,30.5]]",
            })
    void fractionInAnArrayIsRefused(String field, String value) {
        assertRefused(field, value, "the numbers of a date or time in an array have no fraction and no exponent");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "offset | [8]",
                "offset | [1700000000]",
                "offsets | [[8,30,\"Z\"],[8]]",
                "byName | {\"a\":[8]}",
                "optional | [8]",
                "offsetPattern | [8]",
                "offsetNumber | [8]",
            })
    void arrayThatIsNoTimeDoesNotBecomeNull(String field, String value) {
        assertRefused(field, value, "the array is no date and no time");
    }

    /** To Jackson it would be milliseconds up to 999, and nanoseconds from there on. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "millis | [8,30,1,1000]",
                "millis | [8,30,1,2000000]",
                "localMillis | [2026,2,3,10,30,59,1500]",
            })
    void moreMillisecondsThanASecondHasAreRefused(String field, String value) {
        assertRefused(field, value, "a second has 999 milliseconds at most");
    }

    @ParameterizedTest
    @ValueSource(strings = {"time", "local", "date", "month", "day", "offset", "number", "pattern", "millis"})
    void emptyArrayIsNoDateAndNoTime(String field) {
        assertThatThrownBy(() -> read(field, "[]"))
                .hasMessageContaining(field)
                .hasMessageContaining("the array is no date and no time");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "time | [23,59] | 23:59",
                "time | [8,30,1] | 08:30:01",
                "time | [8,30,1,999] | 08:30:01.000000999",
                "local | [2026,2,3,10,30,59,1] | 2026-02-03T10:30:59.000000001",
                "date | [2026,2,3] | 2026-02-03",
                "date | \"2026-02-03\" | 2026-02-03",
                "month | [2026,2] | 2026-02",
                "day | [2,3] | --02-03",
                "offset | [10,15,\"+01:00\"] | 10:15+01:00",
                "number | [23,59] | 23:59",
                "millis | [8,30,1,999] | 08:30:01.999",
                "localMillis | [2026,2,3,10,30,59,999] | 2026-02-03T10:30:59.999",
                "times | [[8,30],[8,31]] | [08:30, 08:31]",
            })
    void wholeNumbersInAnArrayAreRead(String field, String value, String expected) throws Exception {
        assertThat(String.valueOf(Shift.class.getDeclaredMethod(field).invoke(read(field, value))))
                .isEqualTo(expected);
    }

    private static void assertRefused(String field, String value, String reason) {
        assertThatThrownBy(() -> read(field, value)).hasMessageContaining(field).hasMessageContaining(reason);
    }
}
