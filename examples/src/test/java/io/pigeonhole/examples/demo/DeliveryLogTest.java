package io.pigeonhole.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeliveryLogTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void nothingWasDeliveredWhereThereIsNoFile() {
        assertThat(DeliveryLog.count(directory.resolve("none"))).isZero();
    }

    @Test
    void successorGoesOnAndALineThatWasCutShortCountsAsOne() throws IOException {
        Path file = directory.resolve("deliveries");
        try (DeliveryLog log = DeliveryLog.append(file)) {
            log.write("a\nb\n");
        }
        Files.writeString(file, "a\nb\nhalf of");
        try (DeliveryLog log = DeliveryLog.append(file)) {
            log.write("d\n");
        }
        try (DeliveryLog log = DeliveryLog.append(file)) {
            log.write("e\n");
        }

        assertThat(Files.readAllLines(file)).containsExactly("a", "b", "half of", "d", "e");
        assertThat(DeliveryLog.count(file)).isEqualTo(5);
    }
}
