package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.OptBoolean;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.xml.datatype.XMLGregorianCalendar;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A value is what was sent, or the payload is undecodable. One long class, because it is a list of values. */
@Tag("E9")
class StrictValuesTest {
    enum Status {
        OPEN,
        PAID
    }

    enum Code {
        FIRST(10),
        SECOND(20);

        private final int number;

        Code(int number) {
            this.number = number;
        }

        @JsonValue
        int number() {
            return number;
        }
    }

    record Temperature(double degrees) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Temperature {}
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
    sealed interface Shape permits Circle {}

    record Circle(Double radius, Byte small) implements Shape {}

    /** One component of each type; each test sends one of them, and compares none of it as a whole. */
    @SuppressWarnings("ArrayRecordComponent")
    record All(
            Status status,
            Code code,
            Double fraction,
            Float single,
            Byte small,
            Short shorter,
            Integer whole,
            Long large,
            BigDecimal decimal,
            BigInteger integer,
            Number number,
            Object any,
            JsonNode tree,
            Boolean flag,
            Character letter,
            String text,
            UUID uuid,
            URI uri,
            Locale locale,
            Currency currency,
            Charset charset,
            TimeZone zone,
            ZoneId zoneId,
            Instant instant,
            OffsetDateTime offset,
            ZonedDateTime zoned,
            LocalDate date,
            LocalDateTime local,
            LocalTime time,
            Date old,
            Calendar calendar,
            Duration duration,
            Period period,
            Year year,
            YearMonth month,
            Month monthName,
            DayOfWeek day,
            @JsonFormat(pattern = "uuuuMMdd") LocalDate compact,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Instant chosen,
            Optional<Integer> optional,
            OptionalInt optionalInt,
            OptionalLong optionalLong,
            OptionalDouble optionalDouble,
            AtomicInteger atomicInteger,
            AtomicLong atomicLong,
            AtomicBoolean atomicBoolean,
            double[] fractions,
            float[] singles,
            byte[] bytes,
            short[] shorts,
            int[] wholes,
            boolean[] flags,
            List<Double> list,
            Set<Status> statuses,
            EnumSet<Status> enumSet,
            EnumMap<Status, Integer> byStatus,
            Map<String, Double> map,
            List<String> texts,
            Temperature temperature,
            Shape shape,
            Inner inner,
            List<Inner> inners,
            Map<Double, Integer> byFraction,
            Map<Float, Integer> bySingle,
            Map<Byte, Integer> bySmall,
            Map<Integer, Integer> byWhole,
            Map<Long, Integer> byLarge,
            Map<BigDecimal, Integer> byDecimal,
            Map<BigInteger, Integer> byInteger,
            Map<UUID, Integer> byUuid,
            Map<Locale, Integer> byLocale,
            Map<Date, Integer> byOld,
            Map<Calendar, Integer> byCalendar,
            Map<java.sql.Date, Integer> bySqlDate,
            Map<Timestamp, Integer> byTimestamp,
            Map<Instant, Integer> byInstant,
            Map<ZonedDateTime, Integer> byZoned,
            Map<Duration, Integer> byDuration,
            Map<Alias, Integer> byAlias,
            Map<Email, Integer> byEmail,
            EnumMap<Alias, Integer> aliases,
            Map<Double, Map<Double, Integer>> nested,
            Map<Double, Map.Entry<Double, Integer>> entries,
            java.sql.Date sqlDate,
            java.sql.Time sqlTime,
            Timestamp timestamp,
            GregorianCalendar gregorian,
            XMLGregorianCalendar xml,
            @JsonFormat(pattern = "yyyy-MM-dd") Date oldPattern,
            @JsonFormat(shape = JsonFormat.Shape.STRING) Date oldText,
            @JsonFormat(shape = JsonFormat.Shape.STRING) Instant instantText,
            @JsonFormat(shape = JsonFormat.Shape.ARRAY) LocalDate dateArray,
            MonthDay monthDay,
            Money money,
            Optional<BigDecimal> optionalDecimal,
            List<BigDecimal> decimals,
            Alias alias,
            File file,
            ByteBuffer buffer,

            @JsonFormat(pattern = "yyyy-MM-dd'T'HH:mm:ss.SSSX")
            Date oldMillis,

            @JsonFormat(pattern = "yyyyMMddHHmmssSSS") Date oldCompact,

            @JsonFormat(pattern = "yyyy-MM-dd 'o''clock' HH:mm:ss,SSS")
            Calendar calendarMillis,

            Aliased aliased,
            AliasedShape aliasedShape) {}

    record Aliased(@JsonAlias({"key", "number"}) Integer id, List<Aliased> inner, Object other) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes(@JsonSubTypes.Type(value = Square.class, name = "square"))
    sealed interface AliasedShape permits Square {}

    record Square(@JsonAlias("size") Integer side) implements AliasedShape {}

    enum Alias {
        @JsonAlias("uno")
        ONE,
        TWO
    }

    /** A key that is compared without regard to capitals. */
    record Email(String address) {
        Email {
            address = address.toLowerCase(Locale.ROOT);
        }
    }

    /** A class with one public constructor: Jackson takes its parameter for the whole document, without any annotation. */
    static final class Money {
        private final BigDecimal amount;

        public Money(BigDecimal amount) {
            this.amount = amount;
        }

        @Override
        public String toString() {
            return amount + " CHF";
        }
    }

    record Inner(int count, double weight) {}

    static final class Bean {
        public int retries = 3;
        public boolean urgent;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "status | 1",
                "status | \"1\"",
                "status | \"\"",
                "status | \" \"",
                "status | \"GONE\"",
                "status | \"paid\"",
                "code | 11",
                "code | 0",
                "fraction | 1e400",
                "fraction | -1e400",
                "fraction | 1e-400",
                "fraction | \"1.5\"",
                "fraction | \"NaN\"",
                "fraction | \"Infinity\"",
                "fraction | \"\"",
                "fraction | true",
                "single | 1e39",
                "single | 1e-60",
                "single | \"NaN\"",
                "small | 200",
                "small | 128",
                "small | -129",
                "small | 300",
                "small | 1.0",
                "small | \"1\"",
                "shorter | 40000",
                "shorter | 1.5",
                "whole | 1.9",
                "whole | 1.0",
                "whole | 3000000000",
                "whole | \"7\"",
                "whole | \"\"",
                "whole | \" \"",
                "whole | \"null\"",
                "whole | true",
                "whole | []",
                "whole | [7]",
                "large | 9223372036854775808",
                "large | 1e3",
                "decimal | \"1.5\"",
                "decimal | \"\"",
                "integer | 1.5",
                "integer | \"7\"",
                "number | \"7\"",
                "number | \"NaN\"",
                "flag | 1",
                "flag | 0",
                "flag | \"true\"",
                "flag | \"\"",
                "letter | 65",
                "letter | \"\"",
                "letter | \"ab\"",
                "text | 7",
                "text | 1.50",
                "text | true",
                "text | {}",
                "text | []",
                "uuid | \"\"",
                "uuid | \"7\"",
                "uuid | 7",
                "uri | 7",
                "locale | 7",
                "currency | \"\"",
                "currency | 7",
                "charset | \"\"",
                "charset | \"none\"",
                "zone | \"Mars/Olympus\"",
                "zone | \"\"",
                "zoneId | \"\"",
                "zoneId | \"Mars/Olympus\"",
                "instant | 1700000000000",
                "instant | 1700000000",
                "instant | 1700000000.5",
                "instant | \"1700000000000\"",
                "instant | \"\"",
                "instant | \"2026-11-21T02:00:00\"",
                "instant | \"2026-02-30T02:00:00Z\"",
                "offset | 1700000000000",
                "offset | \"1700000000000\"",
                "zoned | 1700000000",
                "date | 20000",
                "date | \"2026-02-30\"",
                "date | \"2026-11-21T10:00:00Z\"",
                "date | \"2026-11-21T10:00:00\"",
                "date | \"\"",
                "local | 1700000000",
                "local | \"2026-11-21T10:00:00Z\"",
                "time | 10",
                "old | 1700000000000",
                "old | \"1700000000000\"",
                "old | \"2026-02-30T10:00:00Z\"",
                "old | \"\"",
                "calendar | 1700000000000",
                "duration | 10",
                "duration | 1.5",
                "duration | \"\"",
                "period | 7",
                "year | 2026.9",
                "year | \"\"",
                "month | 202611",
                "monthName | 3",
                "monthName | \"3\"",
                "day | 3",
                "optional | \"7\"",
                "optional | 7.5",
                "optional | \"\"",
                "optionalInt | \"7\"",
                "optionalInt | 7.5",
                "optionalInt | \"\"",
                "optionalLong | 7.5",
                "optionalDouble | 1e400",
                "optionalDouble | \"NaN\"",
                "optionalDouble | \"\"",
                "atomicInteger | 1.9",
                "atomicInteger | \"7\"",
                "atomicLong | 1.9",
                "atomicBoolean | 1",
                "fractions | [1e400]",
                "fractions | [null]",
                "fractions | [\"NaN\"]",
                "fractions | \"AAAA\"",
                "singles | [1e39]",
                "bytes | [200]",
                "bytes | [1.5]",
                "shorts | [40000]",
                "wholes | [1.5]",
                "wholes | 1",
                "flags | [1]",
                "list | [1e400]",
                "statuses | [1]",
                "enumSet | [1]",
                "enumSet | \"\"",
                "byStatus | {\"1\":1}",
                "map | {\"a\":1e400}",
                "texts | [7]",
                "texts | \"\"",
                "texts | \"one\"",
                "temperature | 1e400",
                "temperature | \"NaN\"",
                "shape | {\"kind\":\"circle\",\"radius\":1e400}",
                "shape | {\"radius\":1e400,\"kind\":\"circle\"}",
                "shape | {\"small\":200,\"kind\":\"circle\"}",
                "shape | {\"kind\":\"square\"}",
                "shape | {\"radius\":1}",
                "inner | {}",
                "inner | {\"count\":1}",
                "inner | {\"count\":null,\"weight\":1}",
                "inner | {\"count\":1,\"weight\":1,\"count\":2}",
                "inner | \"\"",
                "inner | []",
                "inners | [{\"count\":1,\"weight\":1},{\"weight\":1}]",
                "byFraction | {\"1e400\":1}",
                "byFraction | {\"NaN\":1}",
                "byFraction | {\"Infinity\":1}",
                "byFraction | {\"1e-400\":1}",
                "byFraction | {\"1.0\":1,\"1.00\":2}",
                "byFraction | {\"0.1000000000000000055511151231257827\":1}",
                "bySingle | {\"1e60\":1}",
                "bySingle | {\"16777217\":1}",
                "bySingle | {\"16777216\":1,\"16777216.0\":2}",
                "bySmall | {\"200\":1}",
                "byWhole | {\"01\":1}",
                "byWhole | {\"+1\":1}",
                "byWhole | {\"1\":1,\"01\":2}",
                "byWhole | {\"3000000000\":1}",
                "byLarge | {\"-0\":1}",
                "byLarge | {\"9223372036854775808\":1}",
                "byDecimal | {\"1e1000000000\":1}",
                "byDecimal | {\"1e3\":1,\"1E+3\":2}",
                "byInteger | {\"007\":1}",
                "byUuid | {\"1-1-1-1-1\":1}",
                "byUuid | {\"01890a5d-ac96-774b-bcce-b302099a8057\":1,\"01890A5D-AC96-774B-BCCE-B302099A8057\":2}",
                "byLocale | {\"de-CH\":1,\"de_CH\":2}",
                "byOld | {\"1700000000000\":1}",
                "byOld | {\"2026-02-30\":1}",
                "byOld | {\"2026-02-30T10:00:00Z\":1}",
                "byOld | {\"2026-11-22T10:00:00.123456789Z\":1}",
                "byCalendar | {\"1700000000000\":1}",
                "byCalendar | {\"2026-11-22\":1}",
                "bySqlDate | {\"2026-02-30\":1}",
                "byTimestamp | {\"2026-02-30 10:00:00\":1}",
                "byInstant | {\"2026-06-30T23:59:60Z\":1}",
                "byInstant | {\"2026-11-22T10:00:00Z\":1,\"2026-11-22T10:00:00.000Z\":2}",
                "byZoned | {\"2026-11-22T10:00:00+05:00[Europe/Berlin]\":1}",
                "byDuration | {\"P1D\":1,\"PT24H\":2}",
                "byAlias | {\"ONE\":1,\"uno\":2}",
                "byEmail | {\"a@b.example\":1,\"A@b.example\":2}",
                "aliases | {\"ONE\":1,\"uno\":2}",
                "nested | {\"1\":{\"2\":1,\"2.0\":2}}",
                "nested | {\"1\":{\"2\":1},\"1.0\":{}}",
                "old | \"2026-11-22T10:00:00.123456789Z\"",
                "old | \"2026-11-22T10:00:00\"",
                "old | \"2026-11-22\"",
                "old | \"Sun, 22 Nov 2026 10:00:00 GMT garbage\"",
                "old | \"Sun, 22 Nov 2026 10:00:00 GMT\"",
                "old | \"+900000000-11-22T10:00:00Z\"",
                "oldText | \"2026-11-22T10:00:00.123456789Z\"",
                "oldText | 1700000000000",
                "oldPattern | \"2026-11-22T99:99\"",
                "oldPattern | \"2026-02-30\"",
                "calendar | \"2026-11-22T10:00:00.123456789+02:00\"",
                "gregorian | \"2026-11-22\"",
                "sqlDate | \"2026-11-22T10:00:00Z\"",
                "sqlDate | \"2026-11-22T23:30:00-05:00\"",
                "sqlDate | \"2026-02-30\"",
                "sqlDate | 1700000000000",
                "sqlDate | \"1582-10-05\"",
                "sqlDate | \"1582-10-14\"",
                "sqlDate | \"0000-01-01\"",
                "sqlDate | \"-0001-12-31\"",
                "sqlDate | \"+10000-01-01\"",
                "sqlDate | \"+300000000-01-01\"",
                "sqlDate | \"+999999999-12-31\"",
                "sqlTime | \"25:00:00\"",
                "sqlTime | \"10:60:00\"",
                "sqlTime | \"10:15:30.5\"",
                "sqlTime | \"1970-01-01T10:15:30Z\"",
                "sqlTime | 36930000",
                "bySqlDate | {\"1582-10-10\":1}",
                "bySqlDate | {\"0000-01-01\":1}",
                "timestamp | \"+300000000-01-01T00:00:00Z\"",
                "timestamp | \"-300000000-01-01T00:00:00Z\"",
                "byTimestamp | {\"+900000000-11-22T10:00:00Z\":1}",
                "calendar | \"+300000000-01-01T00:00:00Z\"",
                "old | \"-300000000-01-01T00:00:00Z\"",
                "oldPattern | \"1582-10-10\"",
                "oldPattern | \"0000-01-01\"",
                "oldPattern | \"-001-01-01\"",
                "xml | \"0000-01-01\"",
                "timestamp | \"2026-11-22 10:00:00\"",
                "timestamp | 1700000000000",
                "xml | \"1700000000000\"",
                "xml | 1700000000000",
                "xml | \"2026-02-30\"",
                "instant | \"2026-06-30T23:59:60Z\"",
                "instantText | \"1700000000000\"",
                "zoned | \"2026-11-22T10:00:00+05:00[Europe/Berlin]\"",
                "zoned | \"2026-03-29T02:30:00+01:00[Europe/Berlin]\"",
                "date | [2026,2,3]",
                "local | [2026,2,3,4,5]",
                "time | [10,15]",
                "month | [2026,2]",
                "monthDay | [2,3]",
                "date | {\"year\":2026}",
                "decimal | 1e1000000000",
                "decimal | 1e-1000000000",
                "decimal | 1e10001",
                "decimal | 0e-1000000000",
                "number | 1e1000000000",
                "any | 1e1000000000",
                "any | [{\"a\":1e1000000000}]",
                "tree | 1e1000000000",
                "tree | {\"a\":[1e1000000000]}",
                "optionalDecimal | 1e1000000000",
                "decimals | [1e1000000000]",
                "money | 1e1000000000",
                "temperature | 1e-400",
                "status | \" PAID \"",
                "status | \"PAID\\n\"",
                "alias | \" uno\"",
                "statuses | [\" PAID\"]",
                "monthName | \" MARCH\"",
                "uri | \" https://a.example\"",
                "file | \" name \"",
                "instant | \" 2026-11-21T02:00:00Z\"",
                "year | \" 2026\"",
                "locale | \"xx-yy-zz-!!\"",
                "locale | \"no-NO-NY\"",
                "locale | \" de\"",
                "byLocale | {\"xx-yy-zz-!!\":1}",
                "bytes | \"yB==\"",
                "bytes | \"yPB=\"",
                "bytes | \" yA==\"",
                "bytes | \"yA==\\n\"",
                "bytes | \"yAAA yAAA\"",
                "bytes | \"yA==yA==\"",
                "bytes | \"yA\"",
                "bytes | \"yA==x\"",
                "buffer | \"yB==\"",
                "uuid | \"AYkKXayWd0u8zrMCCZqAVx==\"",
                "oldMillis | \"2026-11-22T10:00:00.5Z\"",
                "oldMillis | \"2026-11-22T10:00:00.50Z\"",
                "oldMillis | \"2026-11-22T10:00:00. 50Z\"",
                "oldMillis | \"2026-11-22T10:00:00.0005Z\"",
                "oldCompact | \"202611221000005\"",
                "calendarMillis | \"2026-11-22 o'clock 10:00:00,5\"",
                "aliased | {\"id\":1,\"key\":2}",
                "aliased | {\"key\":1,\"number\":1}",
                "aliased | {\"id\":1,\"inner\":[{\"key\":1,\"id\":null}]}",
                "aliased | {\"inner\":[{\"id\":1}],\"other\":{\"id\":1,\"key\":2},\"id\":1,\"key\":1}",
                "aliasedShape | {\"size\":1,\"kind\":\"square\",\"side\":2}",
            })
    void valueThatWouldBecomeAnotherOneIsRefusedWithItsFieldAndWithoutItsValue(String field, String value) {
        String document = "{\"" + field + "\":" + value + "}";

        assertThatThrownBy(() -> json(All.class).decode(message(document)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasNoCause()
                .satisfies(refused -> {
                    assertThat(refused.getMessage()).containsPattern(": " + field + "\\b");
                    digits(value)
                            .forEach(number -> assertThat(
                                            String.valueOf(refused.getMessage()).replaceAll("\\(line.*\\)", ""))
                                    .doesNotContain(number));
                });
    }

    /** Long enough to be found by no accident. */
    private static List<String> digits(String value) {
        return List.of(value.split("[^0-9A-Za-z.]+")).stream()
                .filter(part -> part.length() > 3)
                .filter(part -> !Set.of("null", "true", "kind", "count", "weight", "radius", "small", "inner", "side")
                        .contains(part))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "status | \"PAID\" | PAID",
                "status | null | null",
                "code | 20 | SECOND",
                "fraction | 1.5 | 1.5",
                "fraction | 3 | 3.0",
                "fraction | 1e22 | 1.0E22",
                "fraction | 0 | 0.0",
                "fraction | 0.000e5 | 0.0",
                "fraction | -0.0 | -0.0",
                "single | 0.1 | 0.1",
                "small | 127 | 127",
                "small | -128 | -128",
                "whole | -0 | 0",
                "large | 9223372036854775807 | 9223372036854775807",
                "decimal | 12.50 | 12.50",
                "decimal | 1e400 | 1E+400",
                "decimal | 0.1000000000000000055511151231257827 | 0.1000000000000000055511151231257827",
                "integer | 123456789012345678901234567890 | 123456789012345678901234567890",
                "number | 0.1000000000000000055511151231257827 | 0.1000000000000000055511151231257827",
                "any | 0.1000000000000000055511151231257827 | 0.1000000000000000055511151231257827",
                "any | 1e400 | 1E+400",
                "tree | 12.50 | 12.50",
                "flag | true | true",
                "letter | \"A\" | A",
                "text | \"\" | ``",
                "text | \" 7 \" | ` 7 `",
                "text | \"\\ufffd\" | `\uFFFD`",
                "uuid | \"01890a5d-ac96-774b-bcce-b302099a8057\" | 01890a5d-ac96-774b-bcce-b302099a8057",
                "uri | \"https://a.example/b?c\" | https://a.example/b?c",
                "locale | \"de-CH\" | de_CH",
                "currency | \"CHF\" | CHF",
                "charset | \"UTF-8\" | UTF-8",
                "zoneId | \"Europe/Zurich\" | Europe/Zurich",
                "instant | \"2026-11-21T02:00:00Z\" | 2026-11-21T02:00:00Z",
                "instant | \"2026-11-21T02:00:00.123456789Z\" | 2026-11-21T02:00:00.123456789Z",
                "offset | \"2026-11-21T02:00:00+02:00\" | 2026-11-21T02:00+02:00",
                "zoned | \"2026-11-21T02:00:00+01:00[Europe/Zurich]\" | 2026-11-21T02:00+01:00[Europe/Zurich]",
                "date | \"2026-11-21\" | 2026-11-21",
                "local | \"2026-11-21T10:00:00\" | 2026-11-21T10:00",
                "time | \"10:15:30\" | 10:15:30",
                "duration | \"PT1H\" | PT1H",
                "period | \"P1M\" | P1M",
                "year | 2026 | 2026",
                "year | \"2026\" | 2026",
                "month | \"2026-11\" | 2026-11",
                "monthName | \"MARCH\" | MARCH",
                "day | \"FRIDAY\" | FRIDAY",
                "compact | \"20261121\" | 2026-11-21",
                "optional | 7 | Optional[7]",
                "optional | null | Optional.empty",
                "optionalInt | 7 | OptionalInt[7]",
                "optionalDouble | 1.5 | OptionalDouble[1.5]",
                "optionalDouble | null | OptionalDouble.empty",
                "atomicInteger | 7 | 7",
                "list | [1.5] | [1.5]",
                "list | [] | []",
                "texts | [] | []",
                "statuses | [\"PAID\"] | [PAID]",
                "map | {\"a\":1.5} | {a=1.5}",
                "map | {} | {}",
                "byStatus | {\"PAID\":1} | {PAID=1}",
                "temperature | 1.5 | Temperature[degrees=1.5]",
                "temperature | 2 | Temperature[degrees=2.0]",
                "shape | {\"radius\":1.5,\"kind\":\"circle\"} | Circle[radius=1.5, small=null]",
                "inner | {\"count\":1,\"weight\":0} | Inner[count=1, weight=0.0]",
                "byFraction | {\"1\":1,\"0.1\":2,\"-0.0\":3,\"1e22\":4} | {1.0=1, 0.1=2, -0.0=3, 1.0E22=4}",
                "bySingle | {\"16777216\":1,\"0.1\":2} | {1.6777216E7=1, 0.1=2}",
                "bySmall | {\"-128\":1,\"127\":2} | {-128=1, 127=2}",
                "byWhole | {\"1\":1,\"-7\":2} | {1=1, -7=2}",
                "byDecimal | {\"1.0\":1,\"1.00\":2} | {1.0=1, 1.00=2}",
                "byUuid | {\"01890A5D-AC96-774B-BCCE-B302099A8057\":1} | {01890a5d-ac96-774b-bcce-b302099a8057=1}",
                "bySqlDate | {\"2026-11-22\":1} | {2026-11-22=1}",
                "byInstant | {\"2026-11-22T10:00:00Z\":1} | {2026-11-22T10:00:00Z=1}",
                "byAlias | {\"uno\":1,\"TWO\":2} | {ONE=1, TWO=2}",
                "byEmail | {\"a@b.example\":1} | {Email[address=a@b.example]=1}",
                "nested | {\"1\":{\"1\":2},\"2\":{\"1\":2}} | {1.0={1.0=2}, 2.0={1.0=2}}",
                "entries | {\"1\":{\"1\":2}} | {1.0=1.0=2}",
                "sqlDate | \"2026-11-22\" | 2026-11-22",
                "sqlDate | \"1500-02-03\" | 1500-02-03",
                "sqlTime | \"10:15:30\" | 10:15:30",
                "sqlDate | \"1582-10-04\" | 1582-10-04",
                "sqlDate | \"1582-10-15\" | 1582-10-15",
                "sqlDate | \"0001-01-01\" | 0001-01-01",
                "sqlDate | \"9999-12-31\" | 9999-12-31",
                "xml | \"2026-11-22T10:00:00.123456789+02:00\" | 2026-11-22T10:00:00.123456789+02:00",
                "dateArray | [2026,2,3] | 2026-02-03",
                "instantText | \"2026-11-22T10:00:00Z\" | 2026-11-22T10:00:00Z",
                "zoned | \"2026-10-25T02:30:00+01:00[Europe/Berlin]\" | 2026-10-25T02:30+01:00[Europe/Berlin]",
                "zoned | \"2026-11-22T10:00:00+05:00\" | 2026-11-22T10:00+05:00",
                "decimal | 1e10000 | 1E+10000",
                "tree | 1e400 | 1E+400",
                "any | [1,2.50,12345678901234567890] | [1, 2.50, 12345678901234567890]",
                "money | 0.1000000000000000055511151231257827 | 0.1000000000000000055511151231257827 CHF",
                "money | 1e400 | 1E+400 CHF",
                "money | 12 | 12 CHF",
                "money | -100000000000000000000 | -100000000000000000000 CHF",
                "locale | \"de_CH\" | de_CH",
                "locale | \"zh-Hans-CN\" | zh_CN_#Hans",
                "locale | \"zh_CN_#Hans\" | zh_CN_#Hans",
                "locale | \"de-DE-1996\" | de_DE_1996",
                "locale | \"x-private\" | ``",
                "byLocale | {\"de-CH\":1} | {de_CH=1}",
                "uuid | \"AYkKXayWd0u8zrMCCZqAVw==\" | 01890a5d-ac96-774b-bcce-b302099a8057",
                "alias | \"uno\" | ONE",
                "aliased | {\"key\":1} | Aliased[id=1, inner=null, other=null]",
                "aliased | {\"id\":1,\"inner\":[{\"key\":2},{\"id\":3}],\"other\":{\"id\":4,\"key\":5}} | Aliased[id=1, inner=[Aliased[id=2, inner=null, other=null], Aliased[id=3, inner=null, other=null]], other={id=4, key=5}]",
                "aliased | {\"unknown\":{\"id\":1},\"inner\":[{\"unknown\":[[{}]],\"key\":2}],\"number\":1} | Aliased[id=1, inner=[Aliased[id=2, inner=null, other=null]], other=null]",
                "aliasedShape | {\"size\":1,\"kind\":\"square\"} | Square[side=1]",
                "text | \"\\ud83d\\ude00 \\\\ud800 \\n\" | `\uD83D\uDE00 \\ud800 \n`",
            })
    void valueIsWhatWasSent(String field, String value, String expected) throws Exception {
        All all = json(All.class).decode(message("{\"" + field + "\":" + value + "}"));

        assertThat(String.valueOf(All.class.getDeclaredMethod(field).invoke(all)))
                .isEqualTo(expected);
    }

    @Test
    void arraysAreWhatWasSent() throws Exception {
        All all = json(All.class)
                .decode(message("{\"fractions\":[1.5,2],\"singles\":[0.5],\"bytes\":[-128,127],\"shorts\":[1]}"));

        assertThat(all.fractions()).containsExactly(1.5, 2);
        assertThat(all.singles()).containsExactly(0.5f);
        assertThat(all.bytes()).containsExactly(-128, 127);
        assertThat(all.shorts()).containsExactly((short) 1);
        assertThat(json(All.class).decode(message("{\"bytes\":\"yA==\"}")).bytes())
                .containsExactly(200);
    }

    @Test
    void formatThatTheTypeNamesByAnAnnotationHolds() throws Exception {
        assertThat(json(All.class).decode(message("{\"chosen\":1700000000}")).chosen())
                .isEqualTo(Instant.ofEpochSecond(1_700_000_000));
    }

    /** Fields that name a pattern, or a shape that is no number. */
    record Formatted(
            @JsonFormat(pattern = "uuuu-MM-dd'T'HH:mm:ssX", timezone = "UTC")
            Instant instant,

            @JsonFormat(pattern = "uuuu-MM-dd'T'HH:mm:ssX") OffsetDateTime offset,
            @JsonFormat(pattern = "uuuu-MM-dd'T'HH:mm:ssX") ZonedDateTime zoned,
            @JsonFormat(pattern = "uuuuMMdd") LocalDate date,
            @JsonFormat(shape = JsonFormat.Shape.ARRAY) LocalDate dateArray,
            @JsonFormat(pattern = "yyyy-MM-dd") Date old,
            @JsonFormat(pattern = "yyyy-MM-dd") Calendar calendar,
            @JsonFormat(pattern = "yyyy-MM-dd") GregorianCalendar gregorian,
            @JsonFormat(pattern = "yyyy-MM-dd") Timestamp timestamp,
            @JsonFormat(pattern = "yyyy-MM-dd") java.sql.Date sqlDate,

            @JsonFormat(shape = JsonFormat.Shape.STRING, pattern = "yyyy-MM-dd")
            Date oldText,

            @JsonFormat(pattern = "uuuu-MM-dd'T'HH:mm:ssX", timezone = "UTC")
            List<Instant> instants,

            @JsonFormat(pattern = "yyyy-MM-dd") Optional<Date> optional,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER, pattern = "yyyy-MM-dd")
            Date counted,

            @JsonFormat(pattern = "HOURS") Duration hours,
            @JsonFormat(pattern = "uuuu") Year year) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"instant\":1700000000000}",
                "{\"instant\":1700000000.5}",
                "{\"offset\":1700000000000}",
                "{\"zoned\":1700000000000}",
                "{\"date\":20261122}",
                "{\"dateArray\":20261122}",
                "{\"old\":1700000000000}",
                "{\"calendar\":1700000000000}",
                "{\"gregorian\":1700000000000}",
                "{\"timestamp\":1700000000000}",
                "{\"sqlDate\":1700000000000}",
                "{\"oldText\":1700000000000}",
                "{\"instants\":[1700000000000]}",
                "{\"optional\":1700000000000}",
            })
    void patternDoesNotSayWhatANumberCounts(String document) {
        assertThatThrownBy(() -> json(Formatted.class).decode(message(document)))
                .hasMessageContaining("a number does not say which unit of time it counts")
                .hasMessageNotContaining("1700000000");
    }

    @Test
    void textOfAPatternAndANumberThatTheAnnotationAsksForAreRead() throws Exception {
        Formatted read = json(Formatted.class)
                .decode(message(
                        "{\"instant\":\"2026-11-22T10:00:00Z\",\"date\":\"20261122\",\"dateArray\":[2026,11,22],"
                                + "\"old\":\"2026-11-22\",\"instants\":[\"2026-11-22T10:00:00Z\"],\"calendar\":null,"
                                + "\"counted\":1700000000000,\"hours\":7,\"year\":2026}"));

        assertThat(read.instant()).isEqualTo("2026-11-22T10:00:00Z");
        assertThat(read.date()).isEqualTo("2026-11-22");
        assertThat(read.dateArray()).isEqualTo("2026-11-22");
        assertThat(read.old().toInstant()).isEqualTo("2026-11-22T00:00:00Z");
        assertThat(read.instants()).containsExactly(Instant.parse("2026-11-22T10:00:00Z"));
        assertThat(read.calendar()).isNull();
        assertThat(read.counted().toInstant()).isEqualTo(Instant.ofEpochMilli(1_700_000_000_000L));
        assertThat(read.hours()).isEqualTo(Duration.ofHours(7));
        assertThat(read.year()).isEqualTo(Year.of(2026));
    }

    record UnitsOfTime(
            @JsonFormat(pattern = "HOURS") Duration hours,
            @JsonFormat(pattern = "DAYS") Duration days,
            @JsonFormat(pattern = "SECONDS") Duration seconds,
            @JsonFormat(pattern = "MILLIS") Duration milliseconds,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER, pattern = "HOURS")
            Duration numberOfHours,

            @JsonFormat(pattern = "HOURS") List<Duration> list,

            @JsonFormat(
                    shape = JsonFormat.Shape.NUMBER,
                    without = JsonFormat.Feature.READ_DATE_TIMESTAMPS_AS_NANOSECONDS)
            Instant instant) {}

    @ParameterizedTest
    @Tag("E9")
    @ValueSource(
            strings = {
                "{\"hours\":2.0}",
                "{\"hours\":1.5}",
                "{\"hours\":1e1}",
                "{\"hours\":-1.5}",
                "{\"days\":1.5}",
                "{\"milliseconds\":1500.5}",
                "{\"numberOfHours\":1.5}",
                "{\"list\":[1,1.5]}",
                "{\"instant\":1700000000000.5}",
            })
    void fractionsOfAUnitThatTheTypeNamesAreRefused(String document) {
        assertThatThrownBy(() -> json(UnitsOfTime.class).decode(message(document)))
                .hasMessageContaining("the unit of the type is counted in whole numbers");
    }

    @Test
    @Tag("E9")
    void wholeNumbersOfAUnitThatTheTypeNamesAreRead() throws Exception {
        UnitsOfTime read = json(UnitsOfTime.class)
                .decode(message("{\"hours\":2,\"days\":-3,\"milliseconds\":1500,\"numberOfHours\":4,"
                        + "\"list\":[1,\"PT1.5S\"],\"instant\":1700000000001}"));

        assertThat(read.hours()).isEqualTo(Duration.ofHours(2));
        assertThat(read.days()).isEqualTo(Duration.ofDays(-3));
        assertThat(read.milliseconds()).isEqualTo(Duration.ofMillis(1500));
        assertThat(read.numberOfHours()).isEqualTo(Duration.ofHours(4));
        assertThat(read.list()).containsExactly(Duration.ofHours(1), Duration.ofMillis(1500));
        assertThat(read.instant()).isEqualTo(Instant.ofEpochMilli(1_700_000_000_001L));
    }

    @Test
    @Tag("E9")
    void fractionsOfSecondsAreReadWhereTheTypeNamesSeconds() throws Exception {
        PayloadDecoder<UnitsOfTime> decoder = json(UnitsOfTime.class);

        assertThat(decoder.decode(message("{\"seconds\":5.5}")).seconds()).isEqualTo(Duration.ofMillis(5500));
        assertThat(decoder.decode(message("{\"seconds\":5}")).seconds()).isEqualTo(Duration.ofSeconds(5));
        assertThatThrownBy(() -> decoder.decode(message("{\"seconds\":5.0000000001}")))
                .hasMessageContaining("nine digits");
    }

    record Numbers(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Duration duration,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER_INT) Duration whole,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Instant instant,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER_FLOAT)
            OffsetDateTime offset,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER) ZonedDateTime zoned,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Date old,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER_INT) LocalDate day,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) LocalDate date,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) LocalTime time,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER) LocalDateTime local) {}

    @ParameterizedTest
    @Tag("E9")
    @ValueSource(
            strings = {
                "{\"duration\":1.0000000001}",
                "{\"duration\":-1.0000000001}",
                "{\"duration\":1e-10}",
                "{\"duration\":1e30}",
                "{\"duration\":1e1000}",
                "{\"whole\":1.0000000001}",
                "{\"instant\":1700000000.1234567891}",
                "{\"instant\":\"1700000000.1234567891\"}",
                "{\"offset\":1700000000.1234567891}",
                "{\"zoned\":1700000000.1234567891}",
            })
    void numberWithMoreDigitsThanATimeHoldsIsRefused(String document) {
        assertThatThrownBy(() -> json(Numbers.class).decode(message(document)))
                .hasMessageContaining("the document is no Numbers")
                .hasMessageNotContaining("0000000");
    }

    @ParameterizedTest
    @Tag("E9")
    @ValueSource(
            strings = {
                "{\"instant\":\" 1700000000\"}",
                "{\"instant\":\"2026-06-30T23:59:60Z\"}",
                "{\"zoned\":\"2026-11-22T10:00+05:00[Europe/Berlin]\"}",
                "{\"old\":\"2026-11-22T10:00:00.1234Z\"}",
                "{\"old\":1.5}",
                "{\"old\":99999999999999999999}",
                "{\"day\":1.5}",
                "{\"date\":20000}",
                "{\"time\":3600}",
                "{\"local\":1700000000}",
            })
    void numberShapeReadsTextNoLessStrictlyAndNoTimeWithoutAZone(String document) {
        assertThatThrownBy(() -> json(Numbers.class).decode(message(document)))
                .hasMessageContaining("the document is no Numbers");
    }

    @Test
    @Tag("E9")
    void numberOfSecondsOrDaysIsReadWithAllItsDigits() throws Exception {
        Numbers read = json(Numbers.class)
                .decode(message("{\"duration\":-1.000000001000,\"whole\":1.5,\"instant\":1700000000.123456789,"
                        + "\"offset\":1.7e9,\"zoned\":1700000000.5,\"old\":1700000000001,\"day\":20000}"));

        assertThat(read.duration()).isEqualTo(Duration.ofSeconds(-1, -1));
        assertThat(read.whole()).isEqualTo(Duration.ofMillis(1500));
        assertThat(read.instant()).isEqualTo("2023-11-14T22:13:20.123456789Z");
        assertThat(read.offset().toInstant()).isEqualTo("2023-11-14T22:13:20Z");
        assertThat(read.zoned().toInstant()).isEqualTo("2023-11-14T22:13:20.5Z");
        assertThat(read.old().toInstant()).isEqualTo("2023-11-14T22:13:20.001Z");
        assertThat(read.day()).isEqualTo("2024-10-04");
        assertThat(json(Numbers.class)
                        .decode(message("{\"instant\":\"1700000000.5\"}"))
                        .instant())
                .isEqualTo("2023-11-14T22:13:20.5Z");
        assertThat(json(Numbers.class)
                        .decode(message("{\"instant\":\"2026-11-22T10:00:00Z\"}"))
                        .instant())
                .isEqualTo("2026-11-22T10:00:00Z");
    }

    record ZonesOfPatterns(
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "Europe/Berlin")
            Instant instant,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "Europe/Berlin")
            ZonedDateTime zoned,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "Europe/Berlin")
            OffsetDateTime offset,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "Europe/Berlin")
            Date old,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm VV") ZonedDateTime sent,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mmxxx'['VV']'")
            ZonedDateTime both,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mmxxx'['VV']'")
            Instant instantOfBoth,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mmxxx", timezone = "Europe/Berlin")
            ZonedDateTime converted,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mmxxx", timezone = "Europe/Berlin")
            Instant moment,

            @JsonFormat(
                    pattern = "dd MMM yyyy HH:mm",
                    timezone = "Europe/Berlin",
                    locale = "en",
                    with = JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_VALUES)
            Instant anyCase,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm", timezone = "Europe/Berlin", lenient = OptBoolean.TRUE)
            ZonedDateTime lenient) {}

    @ParameterizedTest
    @Tag("E9")
    @ValueSource(
            strings = {
                "{\"instant\":\"2026-03-29 02:30:00\"}",
                "{\"zoned\":\"2026-03-29 02:30:00\"}",
                "{\"offset\":\"2026-03-29 02:30:00\"}",
                "{\"old\":\"2026-03-29 02:30:00\"}",
                "{\"sent\":\"2026-03-29 02:30 Europe/Berlin\"}",
                "{\"both\":\"2026-11-22 10:00+05:00[Europe/Berlin]\"}",
                "{\"both\":\"2026-03-29 02:30+01:00[Europe/Berlin]\"}",
                "{\"instantOfBoth\":\"2026-11-22 10:00+05:00[Europe/Berlin]\"}",
                "{\"anyCase\":\"29 mar 2026 02:30\"}",
            })
    void timeThatItsZoneDoesNotHaveIsRefusedByAPattern(String document) {
        assertThatThrownBy(() -> json(ZonesOfPatterns.class).decode(message(document)))
                .hasMessageContaining("the document is no ZonesOfPatterns");
    }

    @Test
    @Tag("E9")
    void timeThatItsZoneHasIsReadByAPattern() throws Exception {
        ZonesOfPatterns read = json(ZonesOfPatterns.class)
                .decode(message("{\"instant\":\"2026-03-29 03:30:00\",\"zoned\":\"2026-10-25 02:30:00\","
                        + "\"sent\":\"2026-01-02 03:04 Europe/Berlin\",\"both\":\"2026-10-25 02:30+01:00[Europe/Berlin]\","
                        + "\"instantOfBoth\":\"2026-11-22 10:00+01:00[Europe/Berlin]\","
                        + "\"converted\":\"2026-03-29 02:30+05:00\",\"moment\":\"2026-03-29 02:30+05:00\","
                        + "\"anyCase\":\"29 mar 2026 03:30\",\"lenient\":\"2026-03-29 02:30\"}"));

        assertThat(read.instant()).isEqualTo("2026-03-29T01:30:00Z");
        assertThat(read.zoned().toInstant()).isEqualTo("2026-10-25T00:30:00Z");
        assertThat(read.sent()).isEqualTo("2026-01-02T03:04+01:00[Europe/Berlin]");
        assertThat(read.both().toInstant()).isEqualTo("2026-10-25T01:30:00Z");
        assertThat(read.instantOfBoth()).isEqualTo("2026-11-22T09:00:00Z");
        assertThat(read.converted().toInstant()).isEqualTo("2026-03-28T21:30:00Z");
        assertThat(read.moment()).isEqualTo("2026-03-28T21:30:00Z");
        assertThat(read.anyCase()).isEqualTo("2026-03-29T01:30:00Z");
        assertThat(read.lenient()).isEqualTo("2026-03-29T03:30+02:00[Europe/Berlin]");
    }

    record YearsOfPatterns(
            @JsonFormat(pattern = "dd.MM.yyyy") LocalDate date,
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm") LocalDateTime local,

            @JsonFormat(pattern = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
            OffsetDateTime offset,

            @JsonFormat(pattern = "yyyy-MM-dd'T'HH:mm:ssX", timezone = "UTC")
            Instant instant,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm VV") ZonedDateTime zoned,
            @JsonFormat(pattern = "yyyy-MM") YearMonth month,
            @JsonFormat(pattern = "yyyy") Year year,
            @JsonFormat(pattern = "'Gary''s' yy-MM-dd") LocalDate quoted,

            @JsonFormat(pattern = "yyyy-MM-dd G", locale = "en")
            LocalDate era,

            @JsonFormat(pattern = "yyyy-MM-dd") List<LocalDate> list) {}

    @Test
    @Tag("E9")
    void yearOfAPatternIsReadWithoutAnEra() throws Exception {
        YearsOfPatterns read = json(YearsOfPatterns.class)
                .decode(message("{\"date\":\"02.01.2026\",\"local\":\"2026-01-02 03:04\","
                        + "\"offset\":\"2026-01-02T03:04:05.678+01:00\",\"instant\":\"2026-01-02T03:04:05Z\","
                        + "\"zoned\":\"2026-01-02 03:04 Europe/Berlin\",\"month\":\"2026-01\",\"year\":\"2026\","
                        + "\"quoted\":\"Gary's 26-01-02\",\"era\":\"0044-03-15 BC\",\"list\":[\"2026-01-02\"]}"));

        assertThat(read.date()).isEqualTo("2026-01-02");
        assertThat(read.local()).isEqualTo("2026-01-02T03:04");
        assertThat(read.offset()).isEqualTo("2026-01-02T03:04:05.678+01:00");
        assertThat(read.instant()).isEqualTo("2026-01-02T03:04:05Z");
        assertThat(read.zoned()).isEqualTo("2026-01-02T03:04+01:00[Europe/Berlin]");
        assertThat(read.month()).isEqualTo(YearMonth.of(2026, 1));
        assertThat(read.year()).isEqualTo(Year.of(2026));
        assertThat(read.quoted()).isEqualTo("2026-01-02");
        assertThat(read.era()).isEqualTo("-0043-03-15");
        assertThat(read.list()).containsExactly(LocalDate.of(2026, 1, 2));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"date\":\"30.02.2026\"}",
                "{\"local\":\"2026-02-30 03:04\"}",
                "{\"local\":\"2026-01-02 24:00\"}",
                "{\"offset\":\"2026-02-30T03:04:05.678+01:00\"}",
                "{\"instant\":\"2026-02-30T03:04:05Z\"}",
                "{\"month\":\"2026-13\"}",
            })
    void dateThatDoesNotExistIsRefusedByAPatternWithAYear(String document) {
        assertThatThrownBy(() -> json(YearsOfPatterns.class).decode(message(document)))
                .hasMessageContaining("the document is no YearsOfPatterns");
    }

    record Milliseconds(
            @JsonFormat(pattern = "yyyyMMddHHmmssSSS") Date digits,
            @JsonFormat(pattern = "HHmmssSSSyyyyMMdd") Date first,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss.SSS", locale = "ar-EG")
            Date arabic,

            @JsonFormat(pattern = "yyyyMMMddHHmmssSSS", locale = "en")
            Date month,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss.SSS:SSS")
            Date twice,

            @JsonFormat(pattern = "yyyy-MM-dd 'SSS' HH:mm") Date quoted) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"digits\":\"20260102030405678\"}",
                "{\"first\":\"03040567820260102\"}",
                "{\"arabic\":\"٢٠٢٦-٠١-٠٢ ٠٣:٠٤:٠٥.٦٧٨\"}",
                "{\"month\":\"2026Jan02030405678\"}",
                "{\"twice\":\"2026-01-02 03:04:05.678:678\"}",
            })
    void threeDigitsOfMillisecondsAreReadWhereverThePatternHasThem(String document) throws Exception {
        Milliseconds read = json(Milliseconds.class).decode(message(document));

        assertThat(Stream.of(read.digits(), read.first(), read.arabic(), read.month(), read.twice())
                        .filter(Objects::nonNull)
                        .map(Date::toInstant))
                .containsExactly(Instant.parse("2026-01-02T03:04:05.678Z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"digits\":\"2026010203040567\"}",
                "{\"arabic\":\"٢٠٢٦-٠١-٠٢ ٠٣:٠٤:٠٥.٥\"}",
                "{\"month\":\"2026Jan020304055\"}",
                "{\"twice\":\"2026-01-02 03:04:05.005:5\"}",
            })
    void otherNumbersOfMillisecondsAreRefusedWhereverThePatternHasThem(String document) {
        assertThatThrownBy(() -> json(Milliseconds.class).decode(message(document)))
                .hasMessageContaining("the milliseconds of the pattern are read from three digits");
    }

    @Test
    void patternWithoutMillisecondsAsksForNone() throws Exception {
        assertThat(json(Milliseconds.class)
                        .decode(message("{\"quoted\":\"2026-01-02 SSS 03:04\"}"))
                        .quoted()
                        .toInstant())
                .isEqualTo("2026-01-02T03:04:00Z");
    }

    @ParameterizedTest
    @CsvSource({
        "UTC+01:30, 90",
        "UTC+01, 60",
        "UTC-5, -300",
        "+01:30, 90",
        "-05:30, -330",
        "UT+5, 300",
        "GMT+5, 300",
        "GMT+05:30, 330",
        "Z, 0",
        "UTC, 0",
        "GMT0, 0",
        "EST, -300"
    })
    void offsetThatIsATimeZoneIsTheOneThatWasSent(String zone, int minutes) throws Exception {
        TimeZone read =
                json(All.class).decode(message("{\"zone\":\"" + zone + "\"}")).zone();

        assertThat(read.getRawOffset()).isEqualTo(Duration.ofMinutes(minutes).toMillis());
        assertThat(read.useDaylightTime()).isFalse();
    }

    /** {@link TimeZone} holds seconds from JDK 25 on. */
    @ParameterizedTest
    @CsvSource({"+05:30:15, 19815", "UTC+05:30:15, 19815", "GMT-00:00:01, -1"})
    void offsetWithSecondsIsRefusedOrTheOneThatWasSent(String zone, int seconds) throws Exception {
        PayloadDecoder<All> decoder = json(All.class);
        Message message = message("{\"zone\":\"" + zone + "\"}");
        if (Runtime.version().feature() < 25) {
            assertThatThrownBy(() -> decoder.decode(message))
                    .hasMessageContaining("zone")
                    .hasMessageNotContaining(zone);
        } else {
            assertThat(decoder.decode(message).zone().getRawOffset()).isEqualTo(seconds * 1000);
        }
    }

    /** {@link Calendar} has such an offset from JDK 25 on. */
    @Test
    void calendarWithSecondsInItsOffsetIsRefusedOrTheOneThatWasSent() throws Exception {
        PayloadDecoder<All> decoder = json(All.class);
        Message message = message("{\"calendar\":\"2026-11-22T10:00:00+02:00:30\"}");
        if (Runtime.version().feature() < 25) {
            assertThatThrownBy(() -> decoder.decode(message)).hasMessageContaining("calendar");
        } else {
            Calendar read = decoder.decode(message).calendar();
            assertThat(read.toInstant()).isEqualTo("2026-11-22T07:59:30Z");
            assertThat(read.getTimeZone().getRawOffset()).isEqualTo(7_230_000);
        }
    }

    @Test
    void zonesThatTheJdkKnowsAreRead() throws Exception {
        Set<String> zones = new TreeSet<>(ZoneId.getAvailableZoneIds());
        zones.addAll(ZoneId.SHORT_IDS.keySet());
        zones.retainAll(Set.of(TimeZone.getAvailableIDs()));
        for (String zone : zones) {
            assertThat(json(All.class)
                            .decode(message("{\"zone\":\"" + zone + "\"}"))
                            .zone())
                    .as(zone)
                    .isEqualTo(TimeZone.getTimeZone(zone));
        }
    }

    @Test
    void typesOfBeforeJavaTimeKeepAllThatWasSent() throws Exception {
        All all = json(All.class)
                .decode(
                        message(
                                "{\"old\":\"2026-11-22T10:00:00.123+02:00\",\"timestamp\":\"2026-11-22T10:00:00.123456789Z\","
                                        + "\"calendar\":\"2026-11-22T10:00:00.123+02:00\",\"gregorian\":\"2026-11-22T10:00:00Z\","
                                        + "\"oldPattern\":\"2026-11-22\",\"oldText\":\"2026-11-22T10:00:00Z\","
                                        + "\"oldMillis\":\"2026-11-22T12:00:00.050+02\",\"oldCompact\":\"20261122100000050\","
                                        + "\"calendarMillis\":\"2026-11-22 o'clock 10:00:00,500\","
                                        + "\"byOld\":{\"2026-11-22T10:00:00Z\":1},\"byTimestamp\":{\"2026-11-22T10:00:00.123456789Z\":1}}"));

        assertThat(all.old().toInstant()).isEqualTo("2026-11-22T08:00:00.123Z");
        assertThat(all.timestamp().toInstant()).isEqualTo("2026-11-22T10:00:00.123456789Z");
        assertThat(all.calendar().toInstant()).isEqualTo("2026-11-22T08:00:00.123Z");
        assertThat(all.calendar().getTimeZone().getRawOffset())
                .isEqualTo(Duration.ofHours(2).toMillis());
        assertThat(all.gregorian().toInstant()).isEqualTo("2026-11-22T10:00:00Z");
        assertThat(all.oldPattern().toInstant()).isEqualTo("2026-11-22T00:00:00Z");
        assertThat(all.oldMillis().toInstant()).isEqualTo("2026-11-22T10:00:00.050Z");
        assertThat(all.oldCompact().toInstant()).isEqualTo("2026-11-22T10:00:00.050Z");
        assertThat(all.calendarMillis().toInstant()).isEqualTo("2026-11-22T10:00:00.500Z");
        assertThat(all.oldText().toInstant()).isEqualTo("2026-11-22T10:00:00Z");
        assertThat(all.byOld()).containsOnlyKeys(Date.from(Instant.parse("2026-11-22T10:00:00Z")));
        assertThat(all.byTimestamp()).containsOnlyKeys(Timestamp.from(Instant.parse("2026-11-22T10:00:00.123456789Z")));
    }

    /** Their own methods show such a moment in the Julian calendar; the moment is the one that was sent. */
    @ParameterizedTest
    @ValueSource(
            strings = {"1500-02-03T00:00:00Z", "1582-10-10T12:00:00Z", "0000-01-01T00:00:00Z", "-0001-03-01T00:00:00Z"})
    void momentsOfLongAgoAreWhatWasSent(String time) throws Exception {
        All all = json(All.class)
                .decode(message(
                        "{\"old\":\"" + time + "\",\"timestamp\":\"" + time + "\",\"calendar\":\"" + time + "\"}"));

        Instant sent = OffsetDateTime.parse(time).toInstant();
        assertThat(all.old().toInstant()).isEqualTo(sent);
        assertThat(all.timestamp().toInstant()).isEqualTo(sent);
        assertThat(all.calendar().toInstant()).isEqualTo(sent);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"text\":\"\\ud800\"}",
                "{\"text\":\"a\\uDFFFb\"}",
                "{\"text\":\"\\ud800\\ud800\"}",
                "{\"text\":\"\\ude00\\ud83d\"}",
                "{\"text\":\"\\ud83d\\\\ude00\"}",
                "{\"map\":{\"\\udbff\":1}}",
                "{\"unknown\":\"\\ud800\"}"
            })
    void halfACharacterIsRefused(String document) {
        assertThatThrownBy(() -> json(All.class).decode(message(document)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("half a character");
    }

    @Test
    void fieldThatIsSetByNobodyKeepsWhatTheTypeGivesIt() throws Exception {
        assertThat(json(Bean.class).decode(message("{}")).retries).isEqualTo(3);
        assertThatThrownBy(() -> json(Bean.class).decode(message("{\"retries\":null}")))
                .hasMessageContaining("retries");
    }

    record Explicit(
            @JsonProperty(isRequired = com.fasterxml.jackson.annotation.OptBoolean.FALSE)
            int count) {}

    @Test
    void typeMaySayThatAPrimitiveMayBeAbsent() throws Exception {
        assertThat(json(Explicit.class).decode(message("{}")).count()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "C080",
                "C1BF",
                "E08080",
                "EDA080",
                "EDB080",
                "F08080AF",
                "F4908080",
                "F5808080",
                "FF",
                "C3",
                "E282"
            })
    void malformedUtf8IsRefused(String hex) {
        byte[] bad = java.util.HexFormat.of().parseHex(hex);
        byte[] begin = "{\"text\":\"".getBytes(StandardCharsets.UTF_8);
        byte[] payload = java.util.Arrays.copyOf(begin, begin.length + bad.length + 2);
        System.arraycopy(bad, 0, payload, begin.length, bad.length);
        payload[payload.length - 2] = '"';
        payload[payload.length - 1] = '}';

        assertThatThrownBy(() -> json(All.class).decode(message(payload)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"})
    void otherEncodingsAreNotGuessed(String charset) {
        byte[] payload = "{\"text\":\"a\"}".getBytes(Charset.forName(charset));

        assertThatThrownBy(() -> json(All.class).decode(message(payload))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void byteOrderMarkIsRefusedByName() {
        assertThatThrownBy(() -> json(All.class).decode(message("\uFEFF{\"text\":\"a\"}")))
                .hasMessageContaining("byte order mark");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e400", "\"NaN\"", "\"\"", "true"})
    void documentThatIsASingleNumberIsReadAsStrictly(String document) {
        assertThatThrownBy(() -> json(Double.class).decode(message(document)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Made of a number, as {@link Money} is. */
    static final class Weight {
        private final double kilograms;

        public Weight(double kilograms) {
            this.kilograms = kilograms;
        }

        @Override
        public String toString() {
            return kilograms + " kg";
        }
    }

    @ParameterizedTest
    @CsvSource({"12, 12.0 kg", "-3, -3.0 kg", "1.5, 1.5 kg"})
    void typeThatIsMadeOfADoubleIsMadeOfWholeNumbersToo(String document, String read) throws Exception {
        assertThat(json(Weight.class).decode(message(document))).hasToString(read);
    }

    record Checked(String iban) {
        Checked {
            if (!iban.startsWith("CH")) {
                throw new IllegalArgumentException("an IBAN of another country");
            }
        }
    }

    @Test
    void whatTheTypeItselfRefusesIsTold() {
        assertThatThrownBy(() -> json(Checked.class).decode(message("{\"iban\":\"DE75\"}")))
                .hasMessageContaining("an IBAN of another country");
    }

    static final class TwoSetters {
        @JsonProperty("count")
        public int one;

        @JsonProperty("count")
        public String other = "";
    }

    @Test
    void typeThatCannotBeReadIsRefusedBeforeTheFirstMessage() {
        assertThatThrownBy(() -> json(TwoSetters.class))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("TwoSetters");
    }

    record Sorted(SortedMap<BigDecimal, String> prices) {}

    @Test
    @Tag("E9")
    void namesThatASortedMapTakesForOneKeyAreRefused() {
        PayloadDecoder<Sorted> decoder = json(Sorted.class);
        assertThatThrownBy(() -> decoder.decode(message("{\"prices\":{\"1.0\":\"a\",\"1.00\":\"b\"}}")))
                .hasMessageContaining("would become the same key");
        assertThatCode(() -> decoder.decode(message("{\"prices\":{\"1.0\":\"a\",\"2.00\":\"b\"}}")))
                .doesNotThrowAnyException();
    }

    enum Color {
        RED,
        BLUE
    }

    enum Grade {
        @JsonProperty(" ")
        NONE,
        @JsonProperty("A ")
        A,
        @JsonProperty("B")
        @JsonAlias("old ")
        B,
        @JsonEnumDefaultValue
        OTHER
    }

    record Grades(
            Grade exact,
            List<Grade> list,

            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            Grade orOther,

            @JsonFormat(with = JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_VALUES)
            Grade anyCase) {}

    @Test
    @Tag("E9")
    void blanksThatBelongToTheNameOfAnEnumAreRead() throws Exception {
        Grades read = json(Grades.class)
                .decode(
                        message(
                                "{\"exact\":\"A \",\"list\":[\" \",\"A \",\"B\",\"old \"],\"orOther\":\" C\",\"anyCase\":\"b\"}"));

        assertThat(read.exact()).isEqualTo(Grade.A);
        assertThat(read.list()).containsExactly(Grade.NONE, Grade.A, Grade.B, Grade.B);
        assertThat(read.orOther()).isEqualTo(Grade.OTHER);
        assertThat(read.anyCase()).isEqualTo(Grade.B);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"exact\":\" B\"}",
                "{\"exact\":\"A\"}",
                "{\"exact\":\"\"}",
                "{\"exact\":\"  \"}",
                "{\"list\":[\"OTHER \"]}",
                "{\"orOther\":\"B \"}",
                "{\"anyCase\":\" b\"}",
            })
    void blanksThatDoNotBelongToTheNameOfAnEnumAreRefused(String document) {
        assertThatThrownBy(() -> json(Grades.class).decode(message(document)))
                .hasMessageContaining("the document is no Grades");
    }

    record Part(Map<Integer, Integer> counts) {}

    record Line(@JsonUnwrapped Part part) {}

    record Lines(Map<Color, Line> lines) {}

    @Test
    @Tag("E9")
    void keysOfAMapInsideAreNoKeysOfTheMapAround() {
        assertThatCode(() -> json(Lines.class)
                        .decode(message(
                                "{\"lines\":{\"RED\":{\"counts\":{\"1\":5}},\"BLUE\":{\"counts\":{\"1\":7}}}}")))
                .doesNotThrowAnyException();
    }

    record Unwrapped(@JsonUnwrapped Aliased aliased, int count) {}

    @Test
    @Tag("E9")
    void twoNamesOfOnePropertyAreRefusedWithItWhereverTheyStand() {
        for (Class<?> type : List.of(Aliased.class, Unwrapped.class)) {
            assertThatThrownBy(() -> json(type).decode(message("{\"key\":1,\"count\":7,\"id\":2}")))
                    .hasMessageContaining("id: two names of the object are of this property");
            assertThatCode(() -> json(type).decode(message("{\"key\":1,\"count\":7}")))
                    .doesNotThrowAnyException();
        }
        assertThatThrownBy(() -> json(Aliased.class).decode(message("{\"inner\":[{},{\"key\":1,\"id\":2}]}")))
                .hasMessageContaining("inner[1].id: two names");
    }

    record NameOfAnother(@JsonAlias("name") @Nullable String fullName, String name) {}

    /** What it says of itself when it is written is nothing that is read. */
    static final class SaysMore {
        @JsonAlias("name")
        public String fullName = "";

        public String getName() {
            return fullName;
        }
    }

    record SharedAlias(
            @JsonAlias("id") String first, @JsonAlias("id") String second) {}

    @Test
    @Tag("E9")
    void aliasThatIsTheNameOfAnotherPropertyIsThatProperty() throws Exception {
        assertThat(json(NameOfAnother.class).decode(message("{\"fullName\":\"Ada Lovelace\",\"name\":\"Ada\"}")))
                .isEqualTo(new NameOfAnother("Ada Lovelace", "Ada"));
        assertThat(json(NameOfAnother.class).decode(message("{\"name\":\"Ada\"}")))
                .isEqualTo(new NameOfAnother(null, "Ada"));
    }

    @Test
    @Tag("E9")
    void aliasThatIsTheNameOfWhatIsOnlyWrittenIsAnAlias() throws Exception {
        assertThat(json(SaysMore.class).decode(message("{\"name\":\"Ada\"}")).fullName)
                .isEqualTo("Ada");
        assertThatThrownBy(() -> json(SaysMore.class).decode(message("{\"fullName\":\"Ada\",\"name\":\"Eve\"}")))
                .hasMessageContaining("fullName: two names of the object are of this property");
    }

    @Test
    @Tag("E9")
    void aliasOfTwoPropertiesIsTheOneThatJacksonTakesItFor() throws Exception {
        assertThat(json(SharedAlias.class).decode(message("{\"first\":\"1\",\"id\":\"2\"}")))
                .isEqualTo(new SharedAlias("1", "2"));
        assertThatThrownBy(() -> json(SharedAlias.class).decode(message("{\"second\":\"1\",\"id\":\"2\"}")))
                .hasMessageContaining("second: two names of the object are of this property");
    }

    /** Made of a number as well as of its properties. */
    static final class Amount {
        @JsonAlias("amt")
        public BigDecimal amount = BigDecimal.ZERO;

        public Amount() {}

        public Amount(BigDecimal amount) {
            this.amount = amount;
        }
    }

    @Test
    @Tag("E9")
    void typeThatIsAlsoMadeOfANumberHasEachPropertyOnce() throws Exception {
        assertThatThrownBy(() -> json(Amount.class).decode(message("{\"amount\":1,\"amt\":2}")))
                .hasMessageContaining("amount: two names of the object are of this property");
        assertThat(json(Amount.class).decode(message("{\"amt\":2}")).amount).isEqualTo("2");
        assertThat(json(Amount.class).decode(message("0.1000000000000000055511151231257827")).amount)
                .isEqualTo("0.1000000000000000055511151231257827");
        assertThatThrownBy(() -> json(Amount.class).decode(message("1e1000000000")))
                .hasMessageContaining("exponent");
    }

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_PROPERTIES)
    record AnyCase(
            @Nullable Integer amount,
            @JsonAlias("key") @Nullable Integer id) {}

    static final class Fields {
        public int amount;
    }

    record AnyCaseInside(
            @JsonFormat(with = JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_PROPERTIES)
            Fields fields) {}

    @Test
    @Tag("E9")
    void namesThatDifferInCapitalsAreOnePropertyWhereTheTypeTakesAnyCase() throws Exception {
        for (String twice :
                List.of("{\"amount\":1,\"AMOUNT\":2}", "{\"Amount\":1,\"aMount\":null}", "{\"ID\":1,\"Key\":2}")) {
            assertThatThrownBy(() -> json(AnyCase.class).decode(message(twice)))
                    .hasMessageContaining("two names of the object are of this property");
        }
        assertThatThrownBy(() -> json(AnyCaseInside.class).decode(message("{\"fields\":{\"amount\":1,\"Amount\":2}}")))
                .hasMessageContaining("fields.amount: two names of the object are of this property");
        assertThat(json(AnyCase.class).decode(message("{\"AMOUNT\":1,\"KEY\":2}")))
                .isEqualTo(new AnyCase(1, 2));
        assertThat(json(AnyCaseInside.class)
                        .decode(message("{\"fields\":{\"Amount\":2}}"))
                        .fields()
                        .amount)
                .isEqualTo(2);
        assertThat(json(Fields.class).decode(message("{\"amount\":1,\"Amount\":2}")).amount)
                .isEqualTo(1);
    }

    record Months(
            @Nullable Month month,
            @Nullable DayOfWeek day,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER) @Nullable
            Month number,

            @Nullable Map<Month, Integer> map,
            @Nullable EnumMap<Month, Integer> enumMap) {}

    @ParameterizedTest
    @Tag("E9")
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"month\":3} | the name is expected",
                "{\"month\":\"3\"} | the name is expected",
                "{\"day\":3} | the name is expected",
                "{\"map\":{\"3\":1}} | Month is expected as Java writes it",
                "{\"enumMap\":{\"3\":1}} | Month is expected as Java writes it",
            })
    void monthIsReadFromItsNameAsAValueAndAsAKey(String document, String expected) {
        assertThatThrownBy(() -> json(Months.class).decode(message(document))).hasMessageContaining(expected);
    }

    @Test
    @Tag("E9")
    void numberOfAMonthCountsFromOneWhereTheTypeAsksForIt() throws Exception {
        Months read =
                json(Months.class).decode(message("{\"number\":3,\"map\":{\"MARCH\":1},\"enumMap\":{\"APRIL\":1}}"));

        assertThat(read.number()).isEqualTo(Month.MARCH);
        assertThat(read.map()).containsOnlyKeys(Month.MARCH);
        assertThat(read.enumMap()).containsOnlyKeys(Month.APRIL);
    }

    static final class AnyCaseMap extends TreeMap<String, @Nullable Integer> {
        private static final long serialVersionUID = 1L;

        public AnyCaseMap() {
            super(String.CASE_INSENSITIVE_ORDER);
        }
    }

    record OwnOrder(AnyCaseMap map) {}

    @Test
    @Tag("E9")
    void namesThatTheOrderOfAMapTakesForOneAreRefused() throws Exception {
        assertThatThrownBy(() -> json(OwnOrder.class).decode(message("{\"map\":{\"a\":1,\"A\":2}}")))
                .hasMessageContaining("would become the same key");
        assertThat(json(OwnOrder.class)
                        .decode(message("{\"map\":{\"b\":null,\"A\":2}}"))
                        .map())
                .containsOnlyKeys("A", "b");
    }

    record ByBytes(Map<byte[], Integer> map) {}

    @Test
    @Tag("E9")
    void keyOfBytesHasOneText() throws Exception {
        assertThatThrownBy(() -> json(ByBytes.class).decode(message("{\"map\":{\"AB==\":1}}")))
                .hasMessageContaining("bits that belong to none of its bytes");
        assertThat(json(ByBytes.class)
                        .decode(message("{\"map\":{\"AA==\":1}}"))
                        .map()
                        .keySet())
                .singleElement()
                .isEqualTo(new byte[1]);
    }

    @Test
    void ownMapperMayBeAsLenientAsItLikes() {
        assertThatCode(() -> json(All.class, JsonMapper.shared()).decode(message("{\"fraction\":\"1.5\"}")))
                .doesNotThrowAnyException();
    }

    private static Message message(String payload) {
        return message(payload.getBytes(StandardCharsets.UTF_8));
    }

    private static Message message(byte[] payload) {
        return Message.builder("payments").id("1").payload(payload).build();
    }
}
