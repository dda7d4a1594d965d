package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Message;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleAbstractTypeResolver;
import tools.jackson.databind.module.SimpleModule;

/** Types that no document can become are refused when the inbox is built, and generic ones are read. */
class ReadableTypeTest {
    interface Shape {}

    record Circle(int radius) implements Shape {}

    sealed interface Closed permits Square {}

    record Square(int side) implements Closed {}

    abstract static class Template {}

    /** Nobody can make one of it. */
    static final class Hidden {
        final int a;

        @SuppressWarnings("UnusedMethod") // It is there so that there is no other.
        private Hidden(int a, int b) {
            this.a = a + b;
        }
    }

    @SuppressWarnings("ClassCanBeStatic") // What it is here for.
    final class Inner {
        final int x;

        Inner(int x) {
            this.x = x;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Dog.class, name = "dog"))
    interface Animal {}

    record Dog(String name) implements Animal {}

    record Drawing(String title, Shape shape) {}

    record Envelope<T>(String id, T body) {}

    record Login(InetAddress from, InetSocketAddress to, Class<?> type) {}

    static final class Nodes extends ArrayList<Nodes> {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Shape.class,
                Closed.class,
                Template.class,
                Hidden.class,
                Inner.class,
                Shape[].class,
                Runnable.class
            })
    void typeThatCannotBeConstructedIsRefusedWithWhatJacksonSays(Class<?> type) {
        assertThatThrownBy(() -> json(type))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("cannot be read from JSON")
                .hasMessageContaining("Cannot construct instance of `");
        assertThatThrownBy(() -> json(type, JsonMapper.shared())).isInstanceOf(ConfigurationException.class);
    }

    @ParameterizedTest
    @ValueSource(classes = {Class.class, Void.class})
    void typeThatNoMessageCanHaveIsRefused(Class<?> type) {
        assertThatThrownBy(() -> json(type)).isInstanceOf(ConfigurationException.class);
    }

    @Test
    void elementsThatCannotBeConstructedAreRefused() {
        assertThatThrownBy(() -> json(new TypeReference<List<Shape>>() {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("abstract types");
        assertThatThrownBy(() -> json(new TypeReference<List<List<Shape>>>() {}))
                .isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> json(new TypeReference<Map<String, Optional<Shape>>>() {}))
                .isInstanceOf(ConfigurationException.class);
    }

    @Test
    void typesThatCanBeConstructedSomehowAreNotRefused() throws Exception {
        assertThat(json(Animal.class).decode(message("{\"@type\":\"dog\",\"name\":\"Rex\"}")))
                .isEqualTo(new Dog("Rex"));
        assertThatCode(() -> json(Nodes.class)).doesNotThrowAnyException();
        SimpleModule shapes = new SimpleModule();
        shapes.setAbstractTypes(new SimpleAbstractTypeResolver().addMapping(Shape.class, Circle.class));
        assertThat(json(Shape.class, JsonMapper.builder().addModule(shapes).build())
                        .decode(message("{\"radius\":1}")))
                .isEqualTo(new Circle(1));
        assertThatCode(() -> json(Object.class)).doesNotThrowAnyException();
        assertThatCode(() -> json(int.class)).doesNotThrowAnyException();
    }

    @Test
    void propertyThatCannotBeConstructedIsNamedInTheReasonAndItsValueIsNot() throws Exception {
        assertThat(json(Drawing.class).decode(message("{\"title\":\"empty\"}")).shape())
                .isNull();
        assertThatThrownBy(() -> json(Drawing.class).decode(message("{\"shape\":{\"radius\":1}}")))
                .hasMessageContaining("the document is no Drawing: shape: ")
                .hasMessageContaining("Cannot construct instance of `")
                .hasMessageContaining("abstract types");
        assertThatThrownBy(() -> json(new TypeReference<Envelope<Hidden>>() {})
                        .decode(message("{\"body\":\"secret value ('x')\"}")))
                .hasMessageContaining("the document is no Envelope<Hidden>: body: ")
                .hasMessageContaining("no Creators")
                .hasMessageNotContaining("secret");
    }

    @Test
    void genericTypesAreReadAsStrictlyAsOthers() throws Exception {
        assertThat(json(new TypeReference<List<Circle>>() {}).decode(message("[{\"radius\":1},{\"radius\":2}]")))
                .containsExactly(new Circle(1), new Circle(2));
        assertThat(json(new TypeReference<Envelope<Circle>>() {})
                        .decode(message("{\"id\":\"a\",\"body\":{\"radius\":3}}")))
                .isEqualTo(new Envelope<>("a", new Circle(3)));
        assertThatThrownBy(() -> json(new TypeReference<List<Circle>>() {}).decode(message("[{\"radius\":\"1\"}]")))
                .hasMessageContaining("the document is no List<Circle>: [0].radius: int is not read from this text");
        assertThat(json(new TypeReference<List<Circle>>() {}, JsonMapper.shared())
                        .decode(message("[{\"radius\":\"1\"}]")))
                .containsExactly(new Circle(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "::1", "fe80::1", "2001:db8::192.0.2.33"})
    void addressIsReadWhereItIsSentInDigits(String address) throws Exception {
        assertThat(json(Login.class)
                        .decode(message("{\"from\":\"" + address + "\"}"))
                        .from())
                .isEqualTo(InetAddress.getByName(address));
        assertThat(json(Login.class)
                        .decode(message("{\"to\":\"localhost:80\"}"))
                        .to())
                .isEqualTo(InetSocketAddress.createUnresolved("localhost", 80));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"from\":\"localhost\"}",
                "{\"from\":\"dead.beef\"}",
                "{\"from\":\"\"}",
                "{\"from\":\"1.2.3\"}",
                "{\"type\":\"java.lang.String\"}"
            })
    void namesThatWouldBeLookedUpOrLoadedAreRefused(String document) {
        assertThatThrownBy(() -> json(Login.class).decode(message(document)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("localhost")
                .hasMessageNotContaining("java.lang.String");
    }

    private static Message message(String payload) {
        return Message.builder("shapes").id("1").payload(payload).build();
    }
}
