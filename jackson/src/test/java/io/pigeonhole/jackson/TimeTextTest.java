package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.OptBoolean;
import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of a text for a date or time nothing is dropped, whatever format the type names. */
@Tag("E9")
class TimeTextTest {
    record Times(
            @Nullable LocalTime plain,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER) @Nullable
            LocalTime number,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            LocalTime array,

            @JsonFormat(lenient = OptBoolean.TRUE) @Nullable LocalTime lenient,

            @Nullable List<LocalTime> list,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            Instant arrayInstant,

            @JsonFormat(shape = JsonFormat.Shape.SCALAR) @Nullable
            Instant scalar,

            @JsonFormat(shape = JsonFormat.Shape.OBJECT) @Nullable
            Instant object,

            @JsonFormat(shape = JsonFormat.Shape.POJO) @Nullable
            Date old,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            ZonedDateTime zoned) {}

    record Patterns(
            @JsonFormat(pattern = "uuuu-MM-dd HH:mm[XXX]") @Nullable
            LocalDateTime local,

            @JsonFormat(pattern = "uuuu-MM-dd[ HH:mm][ VV]") @Nullable
            LocalDate date,

            @JsonFormat(pattern = "[uuuu-MM-dd ]HH:mm[ VV]") @Nullable
            LocalTime time,

            @JsonFormat(pattern = "hh:mm a", locale = "en") @Nullable
            LocalTime halves,

            @JsonFormat(pattern = "uuuu-MM[-dd]") @Nullable YearMonth month,

            @JsonFormat(pattern = "dd.MM.[uuuu]") @Nullable MonthDay day,

            @JsonFormat(pattern = "yyyy[-MM]") @Nullable Year year,

            @JsonFormat(pattern = "[uuuu-MM-dd ]HH:mmXXX") @Nullable
            OffsetTime offsetTime,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mmxxx'['VV']'") @Nullable
            OffsetDateTime offset,

            @JsonFormat(pattern = "EEE, d MMM uuuu", locale = "en") @Nullable
            LocalDate weekday,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm", lenient = OptBoolean.TRUE) @Nullable
            LocalDate lenient) {}

    private static <T> Object read(Class<T> type, String field, String value) throws Exception {
        T read = json(type)
                .decode(Message.builder("times")
                        .id("1")
                        .payload(("{\"" + field + "\":" + value + "}").getBytes(StandardCharsets.UTF_8))
                        .build());
        return String.valueOf(type.getDeclaredMethod(field).invoke(read));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plain | \"2026-11-22T10:00\"",
                "plain | \"2026-11-22T10:00:00.5\"",
                "number | \"2026-11-22T10:00\"",
                "array | \"2026-11-22T10:00\"",
                "lenient | \"2026-11-22T10:00\"",
                "list | [\"2026-11-22T10:00\"]",
            })
    void dateOfALocalTimeIsNotDropped(String field, String value) {
        assertThatThrownBy(() -> read(Times.class, field, value))
                .hasMessageContaining(field)
                .hasMessageContaining("a LocalTime has no date");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "arrayInstant | \"1700000000000\"",
                "scalar | \"1700000000000\"",
                "scalar | \"17.9\"",
                "scalar | \"2026-06-30T23:59:60Z\"",
                "object | \"+1\"",
                "object | \" 2026-01-01T00:00:00Z \"",
                "old | \"1700000000000\"",
                "old | \"2026-11-22\"",
                "old | \"2026-11-22T10:00:00.1234567+02:00\"",
                "zoned | \"2026-11-22T10:00+05:00[Europe/Berlin]\"",
                "array | \" 10:15 \"",
            })
    void textIsReadAsStrictlyWithAShapeAsWithoutOne(String field, String value) {
        assertThatThrownBy(() -> read(Times.class, field, value)).hasMessageContaining(field);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plain | \"10:15\" | 10:15",
                "number | \"10:15\" | 10:15",
                "array | \"10:15:30.5\" | 10:15:30.500",
                "lenient | \"10:15\" | 10:15",
                "arrayInstant | \"2026-01-01T00:00:00Z\" | 2026-01-01T00:00:00Z",
                "scalar | \"2026-01-01T00:00:00Z\" | 2026-01-01T00:00:00Z",
                "object | \"2026-01-01T00:00:00Z\" | 2026-01-01T00:00:00Z",
                "zoned | \"2026-11-22T10:00+01:00[Europe/Berlin]\" | 2026-11-22T10:00+01:00[Europe/Berlin]",
            })
    void textInIso8601IsRead(String field, String value, String expected) throws Exception {
        assertThat(read(Times.class, field, value)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "local | 2026-07-01 12:00+05:00",
                "date | 2026-07-01 12:00",
                "date | 2026-07-01 Europe/Berlin",
                "time | 2026-07-01 12:00",
                "time | 12:00 Europe/Berlin",
                "month | 2026-07-01",
                "day | 01.07.2026",
                "year | 2026-07",
                "offsetTime | 2026-07-01 12:00+05:00",
            })
    void textThatSaysMoreThanTheTypeHoldsIsRefused(String field, String text) {
        assertThatThrownBy(() -> read(Patterns.class, field, '"' + text + '"'))
                .hasMessageContaining(field)
                .hasMessageContaining("the text says more than the type holds");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "local | 2026-07-01 12:00 | 2026-07-01T12:00",
                "date | 2026-07-01 | 2026-07-01",
                "time | 12:00 | 12:00",
                "halves | 01:30 PM | 13:30",
                "month | 2026-07 | 2026-07",
                "day | 01.07. | --07-01",
                "year | 2026 | 2026",
                "offsetTime | 12:00+05:00 | 12:00+05:00",
                "offset | 2026-07-01 12:00+02:00[Europe/Berlin] | 2026-07-01T12:00+02:00",
                "weekday | Wed, 1 Jul 2026 | 2026-07-01",
                "lenient | 2026-07-01 12:00 | 2026-07-01",
            })
    void textThatSaysWhatTheTypeHoldsIsReadByAPattern(String field, String text, String expected) throws Exception {
        assertThat(read(Patterns.class, field, '"' + text + '"')).isEqualTo(expected);
    }
}
