package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.sql.KeyArray;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyArrayTest {
    private static final MessageKey TIME = new MessageKey(0x0192f0c18a3e6b27L, 0x543df0cf2854fd36L);
    private static final MessageKey DIGEST = new MessageKey(0xff8a000000000000L, 0x8000000000000001L);

    @Test
    void keysAreWrittenWithoutHyphens() {
        assertThat(KeyArray.write(List.of(TIME, DIGEST)))
                .isEqualTo("{0192f0c18a3e6b27543df0cf2854fd36,ff8a0000000000008000000000000001}");
    }

    @Test
    void keysAreReadAsTheDatabaseWritesThem() {
        assertThat(KeyArray.read("{" + TIME + "," + DIGEST + "}")).containsExactlyInAnyOrder(TIME, DIGEST);
        assertThat(KeyArray.read("{" + DIGEST + "}")).containsExactly(DIGEST);
        assertThat(KeyArray.read("{}")).isEmpty();
        assertThat(KeyArray.read(null)).isEmpty();
    }
}
