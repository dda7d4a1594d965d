package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonMerge;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import io.pigeonhole.core.message.Message;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.AbstractSet;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A set of which elements are equal would lose them. */
@Tag("E9")
class DistinctElementsTest {
    enum Color {
        RED,
        BLUE
    }

    record Item(String sku, int count) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes(@JsonSubTypes.Type(value = Box.class, name = "box"))
    interface Shape {}

    record Box(Set<Integer> sizes) implements Shape {}

    static final class Merged {
        @JsonMerge
        public Set<Integer> numbers = new HashSet<>();

        @JsonMerge
        public Set<Integer> more = new HashSet<>(Set.of(1));
    }

    record All(
            Set<Integer> numbers,
            Set<Item> items,
            TreeSet<BigDecimal> amounts,
            SortedSet<String> texts,
            EnumSet<Color> colors,
            Set<Color> colorSet,
            Set<Set<Integer>> nested,
            Set<List<Integer>> lists,
            Merged merged,
            Shape shape,
            @JsonSetter(contentNulls = Nulls.SKIP) Set<Integer> withoutNulls) {}

    private static Message message(String field, String value) {
        return message("{\"" + field + "\":" + value + "}");
    }

    private static Message message(String document) {
        return Message.builder("orders")
                .id("1")
                .payload(document.getBytes(StandardCharsets.UTF_8))
                .build();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "numbers | [1,1] | numbers: of 2 elements the set would hold 1",
                "numbers | [1,2,1] | numbers: of 3 elements the set would hold 2",
                "numbers | [null,null] | numbers: of 2 elements",
                "items | [{\"sku\":\"a\",\"count\":1},{\"sku\":\"a\",\"count\":1}] | items: of 2 elements",
                "amounts | [1.0,1.00] | amounts: of 2 elements",
                "texts | [\"a\",\"a\"] | texts: of 2 elements",
                "colors | [\"RED\",\"RED\"] | colors: of 2 elements",
                "colorSet | [\"RED\",\"RED\"] | colorSet: of 2 elements",
                "nested | [[1],[1]] | nested: of 2 elements",
                "nested | [[1,1]] | of 2 elements",
                "merged | {\"numbers\":[1,1]} | merged.numbers: of 2 elements",
                "shape | {\"kind\":\"box\",\"sizes\":[1,1]} | shape.sizes: of 2 elements",
                "shape | {\"sizes\":[1,1],\"kind\":\"box\"} | shape.sizes: of 2 elements",
            })
    void elementsThatASetWouldLoseAreRefused(String field, String value, String reason) {
        assertThatThrownBy(() -> json(All.class).decode(message(field, value))).hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "numbers | []",
                "numbers | null",
                "numbers | [1,2,null]",
                "items | [{\"sku\":\"a\",\"count\":1},{\"sku\":\"a\",\"count\":2}]",
                "amounts | [1.0,1.01]",
                "colors | [\"RED\",\"BLUE\"]",
                "colorSet | [\"RED\",\"BLUE\"]",
                "nested | [[1],[2],[1,2],[]]",
                "lists | [[1,1],[2,2]]",
                "merged | {\"numbers\":[1,2],\"more\":[1,2]}",
                "shape | {\"kind\":\"box\",\"sizes\":[1,2]}",
                "shape | {\"sizes\":[1,2],\"kind\":\"box\"}",
                "withoutNulls | [null,1,null]",
            })
    void distinctElementsAreReadAndThoseThatTheTypeLeavesOutAreNot(String field, String value) throws Exception {
        assertThat(json(All.class).decode(message(field, value))).isNotNull();
    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
    static final class Node {
        public int id;
        public Set<Node> next = Set.of();
    }

    static final class Graph {
        public Set<Node> heads = Set.of();
        public List<Node> all = List.of();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"heads\":[1,2],\"all\":[{\"id\":1},{\"id\":2}]}",
                "{\"all\":[{\"id\":1},{\"id\":2}],\"heads\":[1,2]}",
                "{\"heads\":[1,2],\"all\":[{\"id\":1,\"next\":[2]},{\"id\":2,\"next\":[1]}]}",
            })
    void elementsThatAreReferredToBeforeTheyAreReadAreInTheSet(String document) throws Exception {
        Graph read = json(Graph.class).decode(message(document));

        assertThat(read.heads).containsExactlyInAnyOrderElementsOf(read.all);
    }

    static final class Tags extends AbstractSet<String> {
        private final SortedSet<String> tags = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

        @JsonCreator
        Tags(List<String> tags) {
            this.tags.addAll(tags);
        }

        @Override
        public Iterator<String> iterator() {
            return tags.iterator();
        }

        @Override
        public int size() {
            return tags.size();
        }
    }

    /** It makes a set of what is a set already. */
    static final class Labels extends AbstractSet<String> {
        private final Set<String> labels;

        @JsonCreator
        Labels(Set<String> labels) {
            this.labels = labels;
        }

        @Override
        public Iterator<String> iterator() {
            return labels.iterator();
        }

        @Override
        public int size() {
            return labels.size();
        }
    }

    record Tagged(@Nullable Tags tags, @Nullable Labels labels) {}

    @Test
    void creatorOfASetDecidesWhatItHolds() throws Exception {
        assertThat(json(Tagged.class)
                        .decode(message("tags", "[\"a\",\"A\",\"b\"]"))
                        .tags())
                .containsExactly("a", "b");
        assertThatThrownBy(() -> json(Tagged.class).decode(message("labels", "[\"a\",\"a\"]")))
                .hasMessageContaining("labels: of 2 elements the set would hold 1");
    }

    enum Status {
        ACTIVE,
        CLOSED,
        @JsonEnumDefaultValue
        UNKNOWN
    }

    enum Kind {
        ACTIVE,
        OTHER;

        @JsonCreator
        static Kind of(String name) {
            return "ACTIVE".equals(name) ? ACTIVE : OTHER;
        }
    }

    enum Unit {
        KILOGRAM,
        LITRE;

        @JsonCreator
        static Unit of(String code) {
            return "kg".equals(code) ? KILOGRAM : LITRE;
        }
    }

    /** Equal by its number alone. */
    record Line(int id, int amount, Unit unit) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Line line && line.id == id;
        }

        @Override
        public int hashCode() {
            return id;
        }
    }

    record Statuses(
            Unit unit,

            Set<Line> lines,

            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            Set<Status> statuses,

            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            EnumSet<Status> enums,

            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
            HashSet<Status> orNull,

            Set<OfStatus> records,
            Set<Kind> kinds,
            @JsonSetter(contentNulls = Nulls.AS_EMPTY) Set<String> texts) {}

    record OfStatus(
            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            Status status) {}

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "statuses | [\"ACTIVE\",\"NEW1\",\"NEW2\"] | [ACTIVE, UNKNOWN]",
                "statuses | [\"ACTIVE\",\"UNKNOWN\",\"NEW\"] | [ACTIVE, UNKNOWN]",
                "enums | [\"NEW1\",\"ACTIVE\",\"NEW2\"] | [ACTIVE, UNKNOWN]",
                "orNull | [\"NEW1\",\"NEW2\"] | [null]",
                "records | [{\"status\":\"NEW1\"},{\"status\":\"NEW2\"}] | [OfStatus[status=UNKNOWN]]",
                "kinds | [\"NEW1\",\"NEW2\"] | [OTHER]",
                "texts | [\"\",null] | []",
            })
    void elementsThatAnAnnotationMakesEqualAreHeldOnce(String field, String value, String expected) throws Exception {
        Statuses read = json(Statuses.class).decode(message(field, value));

        assertThat(String.valueOf(Statuses.class.getDeclaredMethod(field).invoke(read)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "statuses | [\"ACTIVE\",\"ACTIVE\"]",
                "statuses | [\"UNKNOWN\",\"UNKNOWN\"]",
                "statuses | [\"ACTIVE\",\"ACTIVE\",\"ACTIVE\",\"NEW\"]",
                "enums | [\"ACTIVE\",\"ACTIVE\"]",
                "orNull | [null,null]",
                "records | [{\"status\":\"ACTIVE\"},{\"status\":\"ACTIVE\"}]",
                "kinds | [\"NEW\",\"NEW\"]",
                "lines | [{\"id\":1,\"amount\":5,\"unit\":\"kg\"},{\"id\":1,\"amount\":7,\"unit\":\"kg\"}]",
            })
    void equalElementsThatNoAnnotationMakesEqualAreRefused(String field, String value) {
        assertThatThrownBy(() -> json(Statuses.class).decode(message(field, value)))
                .hasMessageContaining("because it holds each once");
    }

    enum Currency {
        EUR,
        USD;

        @JsonCreator
        static Currency of(@JsonProperty("code") String code) {
            return valueOf(code);
        }
    }

    record Price(int sku, Currency currency) {}

    record Measure(int id, Unit unit) {}

    record Group(Set<OfStatus> members) {}

    record Mixed(
            Set<Price> prices,
            Set<Measure> measures,
            Set<Group> groups,

            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            Set<Status> statuses,

            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            SortedSet<Status> sorted,

            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            EnumSet<Status> enums) {}

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "prices | [{\"sku\":1,\"currency\":{\"code\":\"EUR\"}},{\"sku\":1,\"currency\":{\"code\":\"EUR\"}}]",
                "measures | [{\"id\":1,\"unit\":\"l\"},{\"id\":2,\"unit\":\"L\"},{\"id\":2,\"unit\":\"L\"}]",
                "measures | [{\"id\":1,\"unit\":\"l\"},{\"id\":1,\"unit\":\"L\"},{\"id\":2,\"unit\":\"kg\"},{\"id\":2,\"unit\":\"kg\"}]",
                "groups | [{\"members\":[{\"status\":\"NEW\"}]},{\"members\":[{\"status\":\"NEW\"}]}]",
                "statuses | [\"ACTIVE\",\"ACTIVE\",\"NEW\"]",
                "statuses | [\"NEW\",\"ACTIVE\",\"ACTIVE\"]",
                "statuses | [\"NEW\",\"UNKNOWN\",\"UNKNOWN\"]",
                "statuses | [\"NEW\",\"NEW\"]",
                "sorted | [\"ACTIVE\",\"ACTIVE\",\"NEW\"]",
                "enums | [\"ACTIVE\",\"ACTIVE\",\"NEW\"]",
                "enums | [\"NEW\",\"NEW\"]",
            })
    void nameThatAnEnumDoesNotHaveExcusesNoOtherElement(String field, String value) {
        assertThatThrownBy(() -> json(Mixed.class).decode(message(field, value)))
                .hasMessageContaining(field)
                .hasMessageContaining("because it holds each once");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "prices | [{\"sku\":1,\"currency\":{\"code\":\"EUR\"}},{\"sku\":2,\"currency\":\"EUR\"}] | 2",
                "measures | [{\"id\":1,\"unit\":\"l\"},{\"id\":1,\"unit\":\"L\"}] | 1",
                "groups | [{\"members\":[{\"status\":\"NEW\"}]},{\"members\":[{\"status\":\"NEW2\"}]}] | 1",
                "groups | [{\"members\":[{\"status\":\"NEW\"},{\"status\":\"NEW2\"}]},{\"members\":[]}] | 2",
                "statuses | [\"NEW\",\"UNKNOWN\",\"ACTIVE\"] | 2",
                "statuses | [\"NEW\",\"UNKNOWN\",\"NEW2\"] | 1",
                "sorted | [\"NEW\",\"UNKNOWN\",\"ACTIVE\"] | 2",
                "enums | [\"NEW\",\"UNKNOWN\",\"NEW2\",\"ACTIVE\"] | 2",
            })
    void namesThatAnEnumDoesNotHaveMayBecomeEqual(String field, String value, int size) throws Exception {
        Mixed read = json(Mixed.class).decode(message(field, value));

        assertThat((Set<?>) Mixed.class.getDeclaredMethod(field).invoke(read)).hasSize(size);
    }

    @Test
    void nameThatWasReadBeforeASetMakesNoneOfItsElementsEqual() {
        String before =
                "\"L\",\"lines\":[{\"id\":1,\"amount\":5,\"unit\":\"l\"},{\"id\":1,\"amount\":7,\"unit\":\"l\"}]";
        Message message = Message.builder("orders")
                .id("1")
                .payload("{\"unit\":" + before + "}")
                .build();
        assertThatThrownBy(() -> json(Statuses.class).decode(message))
                .hasMessageContaining("because it holds each once");
    }

    @Test
    void documentThatIsASetIsReadAsStrictly() {
        Message twice =
                Message.builder("orders").id("1").payload("[\"a\",\"a\"]").build();
        assertThatThrownBy(() -> json(HashSet.class).decode(twice)).hasMessageContaining("of 2 elements");
    }
}
