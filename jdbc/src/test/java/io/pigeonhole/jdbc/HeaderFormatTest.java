package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.message.Headers;
import io.pigeonhole.jdbc.sql.HeaderFormat;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class HeaderFormatTest {
    private static final Headers HEADERS = Headers.none()
            .with("trace", "ä")
            .with("n", (byte[]) null)
            .with("", new byte[0])
            .with("a\0b", new byte[] {0, (byte) 0xFF})
            .with("trace", "again");

    @Test
    void headersComeBackAsTheyWere() {
        assertThat(HeaderFormat.read(HeaderFormat.write(HEADERS))).isEqualTo(HEADERS);
        assertThat(HeaderFormat.read(HeaderFormat.write(Headers.none()))).isEqualTo(Headers.none());
    }

    @Test
    void bytesAreTheDocumentedOnes() {
        assertThat(HexFormat.of().formatHex(HeaderFormat.write(Headers.none()))).isEqualTo("0100000000");
        assertThat(HexFormat.of()
                        .formatHex(HeaderFormat.write(
                                Headers.none().with("ab", new byte[] {7}).with("c", (byte[]) null))))
                .isEqualTo(
                        "01" + "00000002" + "00000002" + "6162" + "00000001" + "07" + "00000001" + "63" + "ffffffff");
    }

    @Test
    void brokenBytesAreRefused() {
        byte[] bytes = HeaderFormat.write(HEADERS);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> HeaderFormat.read(cut)).isInstanceOf(IllegalArgumentException.class);
        }
        byte[] other = bytes.clone();
        other[0] = 2;
        assertThatThrownBy(() -> HeaderFormat.read(other)).isInstanceOf(IllegalArgumentException.class);
    }
}
