package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.pigeonhole.core.message.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Types whose properties are the elements of an array: no element is left out. */
@Tag("E9")
class PropertiesInArrayTest {
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Pair(Integer first, @Nullable List<Integer> second) {}

    record Plain(Integer x, Integer y) {}

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    static final class Bean {
        public int one;
        public int two;
    }

    @JsonDeserialize(builder = Builder.class)
    static final class Built {
        private int one;
    }

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    static final class Builder {
        private final Built built = new Built();

        public Builder withOne(int one) {
            built.one = one;
            return this;
        }

        public Built build() {
            return built;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind", include = JsonTypeInfo.As.WRAPPER_ARRAY)
    @JsonSubTypes(@JsonSubTypes.Type(value = Point.class, name = "point"))
    sealed interface Shape permits Point {}

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Point(int x) implements Shape {}

    record Arrays(
            @Nullable Pair pair,
            @Nullable List<Pair> list,

            @JsonFormat(shape = JsonFormat.Shape.ARRAY) @Nullable
            Plain plain,

            Bean bean,
            Built built,
            @Nullable Shape shape) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"pair\":[1,[2],3]}",
                "{\"pair\":[1,[2],null]}",
                "{\"list\":[[1,[2]],[1,[2],[3]]]}",
                "{\"plain\":[1,2,3]}",
                "{\"bean\":[1,2,3]}",
                "{\"built\":[1,2]}",
                "{\"shape\":[\"point\",[1,2]]}",
            })
    void arrayOfMoreElementsThanTheTypeHasPropertiesIsRefused(String document) {
        assertThatThrownBy(() -> json(Arrays.class).decode(message(document)))
                .hasMessageContaining("one for each of its properties");
    }

    @Test
    void arrayOfAsManyElementsAsTheTypeHasPropertiesIsRead() throws Exception {
        Arrays read = json(Arrays.class)
                .decode(message("{\"pair\":[1,[2,3,4]],\"list\":[[1]],\"plain\":[1,2],\"bean\":[1,2],\"built\":[5],"
                        + "\"shape\":[\"point\",[7]]}"));

        assertThat(read.pair()).isEqualTo(new Pair(1, List.of(2, 3, 4)));
        assertThat(read.list()).containsExactly(new Pair(1, null));
        assertThat(read.plain()).isEqualTo(new Plain(1, 2));
        assertThat(read.bean().two).isEqualTo(2);
        assertThat(read.built().one).isEqualTo(5);
        assertThat(read.shape()).isEqualTo(new Point(7));
    }

    private static Message message(String payload) {
        return Message.builder("payments").id("1").payload(payload).build();
    }
}
