package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.OptBoolean;
import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patterns that read names of zones: zones share them, so that a zone is said by an id or an offset. */
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

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm v", locale = "en") @Nullable
            Instant generic,

            @JsonFormat(pattern = "uuuu'年'M'月'd'日' H'時'm'分'zzzz", locale = "ja") @Nullable
            Instant japanese,

            @JsonFormat(
                    pattern = "[uuuu-MM-dd HH:mm[ VV][ z]][EEE, dd MMM uuuu HH:mm:ss z]",
                    locale = "en",
                    timezone = "Europe/Berlin")
            @Nullable
            Instant either,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm VV z", locale = "en") @Nullable
            ZonedDateTime idThenName,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm z VV", locale = "en") @Nullable
            ZonedDateTime nameThenId,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm VV VV", locale = "en") @Nullable
            ZonedDateTime twoIds,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm XXX z", locale = "en") @Nullable
            ZonedDateTime offsetThenName,

            @JsonFormat(pattern = "HH:mm z uuuu-MM-dd", locale = "en") @Nullable
            Instant zoneFirst,

            @JsonFormat(pattern = "EEE MMM dd HH:mm:ss zzz uuuu", locale = "en") @Nullable
            Instant ofDate,

            @JsonFormat(pattern = "uuuu-MM-dd'T'HH:mmXXX'['z']'", locale = "en") @Nullable
            Instant bracketed,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm", timezone = "Europe/Berlin") @Nullable
            LocalDateTime local,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm ppppppppppppppppVV ppppzzz", locale = "en") @Nullable
            ZonedDateTime padded,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm ppppppppppppppppVV", locale = "en") @Nullable
            Instant paddedId,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm ppppzzz", locale = "en") @Nullable
            Instant paddedName,

            @JsonFormat(pattern = "uuuu-MM-dd HH:mm z", locale = "en", lenient = OptBoolean.TRUE) @Nullable
            Instant lenient,

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
                "instant | 2026-01-01 12:00 EST",
                "instant | 2026-07-01 12:00 EDT",
                "instant | 2026-07-01 12:00 CST",
                "instant | 2026-07-01 12:00 CET",
                "instant | 2026-07-01 12:00 CEST",
                "instant | 2026-07-01 12:00 EET",
                "instant | 2026-07-01 12:00 EST5EDT",
                "instant | 2026-07-01 12:00 Japan",
                "zoned | 2026-07-01 12:00 EST",
                "mail | Wed, 01 Jul 2026 12:00:00 EDT",
                "german | 2026-07-01 12:00 MEZ",
                "german | 2026-07-01 12:00 MESZ",
                "german | 2026-07-01 12:00 CET",
                "full | 2026-07-01 12:00 Eastern Daylight Time",
                "full | 2026-01-01 12:00 Eastern Standard Time",
                "generic | 2026-07-01 12:00 ET",
                "generic | 2026-07-01 12:00 PT",
                "generic | 2026-07-01 12:00 CET",
                "japanese | 2026年7月1日 12時0分日本標準時",
                "anyCase | 2026-07-01 12:00 edt",
                "either | 2026-07-01 12:00 EST",
                "idThenName | 2026-01-01 12:00 Europe/Berlin EST",
                "idThenName | 2026-07-01 12:00 America/New_York EST",
                "idThenName | 2026-01-01 12:00 Europe/Berlin CET",
                "idThenName | 2026-01-01 12:00 Europe/Berlin UTC",
                "idThenName | 2026-07-01 12:00 Europe/Berlin +02:00",
                "nameThenId | 2026-07-01 12:00 EST America/New_York",
                "nameThenId | 2026-01-01 12:00 EST Europe/Berlin",
                "twoIds | 2026-01-01 12:00 Europe/Berlin America/New_York",
                "offsetThenName | 2026-07-01 12:00 -04:00 EDT",
                "zoneFirst | 12:00 EST 2026-07-01",
                "ofDate | Wed Jul 01 12:00:00 EDT 2026",
                "padded | 2026-07-01 12:00    Europe/Berlin  EDT",
                "paddedName | 2026-07-01 12:00  EDT",
            })
    void zoneThatIsNotSaidByOneIdOrAnOffsetIsRefused(String field, String text) {
        assertThatThrownBy(() -> read(field, text))
                .hasMessageContaining(field)
                .hasMessageContaining("send one id such as Europe/Berlin, or an offset");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "instant | 2026-07-01 12:00 UTC | 2026-07-01T12:00:00Z",
                "instant | 2026-07-01 12:00 GMT | 2026-07-01T12:00:00Z",
                "instant | 2026-07-01 12:00 UT | 2026-07-01T12:00:00Z",
                "instant | 2026-07-01 12:00 Z | 2026-07-01T12:00:00Z",
                "instant | 2026-07-01 12:00 UTC+02:00 | 2026-07-01T10:00:00Z",
                "instant | 2026-07-01 12:00 GMT+02:00 | 2026-07-01T10:00:00Z",
                "instant | 2026-07-01 12:00 +02:00 | 2026-07-01T10:00:00Z",
                "instant | 2026-07-01 12:00 Europe/Berlin | 2026-07-01T10:00:00Z",
                "zoned | 2026-07-01 12:00 Europe/Berlin | 2026-07-01T12:00+02:00[Europe/Berlin]",
                "zoned | 2026-07-01 12:00 +02:00 | 2026-07-01T12:00+02:00",
                "mail | Wed, 01 Jul 2026 12:00:00 GMT | 2026-07-01T12:00:00Z",
                "german | 2026-07-01 12:00 Europe/Berlin | 2026-07-01T10:00:00Z",
                "german | 2026-07-01 12:00 GMT | 2026-07-01T12:00:00Z",
                "full | 2026-07-01 12:00 America/New_York | 2026-07-01T16:00:00Z",
                "generic | 2026-07-01 12:00 America/New_York | 2026-07-01T16:00:00Z",
                "japanese | 2026年7月1日 12時0分Asia/Tokyo | 2026-07-01T03:00:00Z",
                "id | 2026-07-01 12:00 zone Europe/Berlin | 2026-07-01T10:00:00Z",
                "id | 2026-07-01 12:00 zone Japan | 2026-07-01T03:00:00Z",
                "anyCase | 2026-07-01 12:00 europe/berlin | 2026-07-01T10:00:00Z",
                "anyCase | 2026-07-01 12:00 utc | 2026-07-01T12:00:00Z",
                "either | 2026-07-01 12:00 Europe/Berlin | 2026-07-01T10:00:00Z",
                "either | Wed, 01 Jul 2026 12:00:00 GMT | 2026-07-01T12:00:00Z",
                "either | 2026-07-01 12:00 | 2026-07-01T10:00:00Z",
                "offsetThenName | 2026-07-01 12:00 -04:00 America/New_York | 2026-07-01T12:00-04:00[America/New_York]",
                "zoneFirst | 12:00 Europe/Berlin 2026-07-01 | 2026-07-01T10:00:00Z",
                "zoneFirst | 12:00 UTC 2026-07-01 | 2026-07-01T12:00:00Z",
                "ofDate | Wed Jul 01 12:00:00 UTC 2026 | 2026-07-01T12:00:00Z",
                "ofDate | Wed Jul 01 12:00:00 GMT 2026 | 2026-07-01T12:00:00Z",
                "paddedId | 2026-07-01 12:00    Europe/Berlin | 2026-07-01T10:00:00Z",
                "paddedName | 2026-07-01 12:00  UTC | 2026-07-01T12:00:00Z",
                "bracketed | 2026-07-01T12:00Z[UTC] | 2026-07-01T12:00:00Z",
                "local | 2026-03-29 02:30 | 2026-03-29T02:30",
                "lenient | 2026-01-01 12:00 EST | 2026-01-01T17:00:00Z",
            })
    void zoneThatIsSaidByOneIdOrAnOffsetIsRead(String field, String text, String expected) throws Exception {
        assertThat(String.valueOf(Times.class.getDeclaredMethod(field).invoke(read(field, text))))
                .isEqualTo(expected);
    }

    @Test
    void offsetThatTheZoneDoesNotHaveIsRefused() {
        assertThatThrownBy(() -> read("offsetThenName", "2026-07-01 12:00 +02:00 UTC"))
                .hasMessageContaining("the zone does not have this local time, or not with this offset");
    }
}
