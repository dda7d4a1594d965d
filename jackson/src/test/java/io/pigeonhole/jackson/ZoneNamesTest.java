package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patterns with the name of a zone: the name says the offset, too. */
@Tag("E9")
class ZoneNamesTest {
    record Times(
            @JsonFormat(pattern = "uuuu-MM-dd HH:mm z", locale = "en") @Nullable
            Instant instant,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm z", locale = "en") @Nullable
            ZonedDateTime zoned,

            @JsonFormat(pattern = "EEE, d MMM uuuu HH:mm:ss z", locale = "en") @Nullable
            Instant mail,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm zzzz", locale = "en") @Nullable
            Instant full,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm 'zone' VV", locale = "en") @Nullable
            Instant id,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm z", locale = "de", timezone = "Europe/Berlin") @Nullable
            Instant german,

            @JsonFormat(
                    pattern = "uuuu-MM-dd HH:mm z",
                    locale = "en",
                    with = JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_VALUES)
            @Nullable
            Instant anyCase) {}

    private static Times read(String field, String text) throws Exception {
        return json(Times.class)
                .decode(Message.builder("times")
                        .id("1")
                        .payload(("{\"" + field + "\":\"" + text + "\"}").getBytes(StandardCharsets.UTF_8))
                        .build());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "instant | 2026-07-01 12:00 EST",
                "instant | 2026-01-01 12:00 EDT",
                "instant | 2026-07-01 12:00 MST",
                "instant | 2026-07-01 12:00 CET",
                "instant | 2026-01-01 12:00 CEST",
                "instant | 2026-10-25 02:30 CET",
                "zoned | 2026-07-01 12:00 EST",
                "mail | Wed, 01 Jul 2026 12:00:00 EST",
                "german | 2026-07-01 12:00 MEZ",
                "full | 2026-07-01 12:00 Eastern Standard Time",
                "anyCase | 2026-07-01 12:00 est",
            })
    void nameThatAZoneDoesNotHaveThenIsRefused(String field, String text) {
        assertThatThrownBy(() -> read(field, text))
                .hasMessageContaining(field)
                .hasMessageContaining("or not by this name");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "instant | 2026-07-01 12:00 EDT | 2026-07-01T16:00:00Z",
                "instant | 2026-01-01 12:00 EST | 2026-01-01T17:00:00Z",
                "instant | 2026-07-01 12:00 CEST | 2026-07-01T10:00:00Z",
                "instant | 2026-10-25 02:30 CEST | 2026-10-25T00:30:00Z",
                "instant | 2026-07-01 12:00 UTC | 2026-07-01T12:00:00Z",
                "instant | 2026-07-01 12:00 GMT | 2026-07-01T12:00:00Z",
                "instant | 2026-07-01 12:00 Z | 2026-07-01T12:00:00Z",
                "instant | 2026-07-01 12:00 UTC+02:00 | 2026-07-01T10:00:00Z",
                "instant | 2026-07-01 12:00 +02:00 | 2026-07-01T10:00:00Z",
                "instant | 2026-07-01 12:00 Europe/Berlin | 2026-07-01T10:00:00Z",
                "mail | Wed, 01 Jul 2026 12:00:00 EDT | 2026-07-01T16:00:00Z",
                "mail | Wed, 01 Jul 2026 12:00:00 GMT | 2026-07-01T12:00:00Z",
                "german | 2026-07-01 12:00 MESZ | 2026-07-01T10:00:00Z",
                "full | 2026-07-01 12:00 Eastern Daylight Time | 2026-07-01T16:00:00Z",
                "id | 2026-07-01 12:00 zone Europe/Berlin | 2026-07-01T10:00:00Z",
                "anyCase | 2026-07-01 12:00 edt | 2026-07-01T16:00:00Z",
            })
    void nameThatAZoneHasThenIsRead(String field, String text, String expected) throws Exception {
        assertThat(String.valueOf(Times.class.getDeclaredMethod(field).invoke(read(field, text))))
                .isEqualTo(expected);
    }
}
