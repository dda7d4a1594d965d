package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.sql.CleanText;
import org.junit.jupiter.api.Test;

class CleanTextTest {
    @Test
    void textThatADatabaseTakesStaysTheSame() {
        String text = "größe 🐦 \t\n\u0001";
        assertThat(CleanText.of(text)).isSameAs(text);
        assertThat(CleanText.ofNullable(null)).isNull();
    }

    @Test
    void nulAndHalvesOfSurrogatePairsAreReplaced() {
        assertThat(CleanText.of("a\0b")).isEqualTo("a\uFFFDb");
        assertThat(CleanText.of("a\ud83d")).isEqualTo("a\uFFFD");
        assertThat(CleanText.of("\udc26b")).isEqualTo("\uFFFDb");
        assertThat(CleanText.of("🐦\udc26\ud83d🐦")).isEqualTo("🐦\uFFFD\uFFFD🐦");
    }
}
