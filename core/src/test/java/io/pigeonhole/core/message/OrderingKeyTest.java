package io.pigeonhole.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class OrderingKeyTest {
    private static final Path PAGE = Path.of("..", "docs", "tables.md");
    private static final Pattern ROW =
            Pattern.compile("\\| `0x([0-9a-f]*)`[^|]*\\| `([0-9a-f]{8})` \\| (\\d+) \\| (\\d+) \\|");

    /** The table that other languages read. */
    @Test
    @Tag("M40")
    void workPartitionIsAsThePageSays() throws IOException {
        List<MatchResult> vectors =
                ROW.matcher(Files.readString(PAGE)).results().toList();
        assertThat(vectors).hasSizeGreaterThan(4);
        for (MatchResult vector : vectors) {
            byte[] key = HexFormat.of().parseHex(vector.group(1));
            long crc = Long.parseLong(vector.group(2), 16);
            assertThat(OrderingKey.partition(key, 16)).as(vector.group()).isEqualTo(Integer.parseInt(vector.group(3)));
            assertThat(OrderingKey.partition(key, 7)).as(vector.group()).isEqualTo(Integer.parseInt(vector.group(4)));
            assertThat(OrderingKey.partition(key, Integer.MAX_VALUE))
                    .as(vector.group())
                    .isEqualTo((int) (crc % Integer.MAX_VALUE));
        }
    }
}
