package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSetter;
import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a class can hold, but gives Jackson no way to set. */
@Tag("E9")
class UnsettablePropertiesTest {
    static final class Getter {
        private final List<String> lines = new ArrayList<>();

        public List<String> getLines() {
            return lines;
        }
    }

    static final class Setter {
        private final List<String> lines = new ArrayList<>();

        public List<String> getLines() {
            return lines;
        }

        @JsonSetter
        void lines(List<String> sent) {
            lines.addAll(sent);
        }
    }

    record Components(List<String> lines) {}

    private static <T> T read(Class<T> type) throws Exception {
        byte[] payload = "{\"lines\":[\"a\",\"b\"]}".getBytes(StandardCharsets.UTF_8);
        return json(type)
                .decode(Message.builder("orders").id("1").payload(payload).build());
    }

    @Test
    void collectionWithAGetterOnlyStaysAsItsClassMadeIt() throws Exception {
        assertThat(read(Getter.class).getLines()).isEmpty();
    }

    @Test
    void sameCollectionIsReadThroughASetter() throws Exception {
        assertThat(read(Setter.class).getLines()).containsExactly("a", "b");
    }

    @Test
    void sameCollectionIsReadByARecord() throws Exception {
        assertThat(read(Components.class).lines()).containsExactly("a", "b");
    }
}
