package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SqlTest {
    @Test
    void nameThatOccursTwiceIsOneParameterAtTwoPlaces() {
        Sql.Text text =
                Sql.parse("SELECT 1 WHERE a = :id OR b = :other OR c = :id").text(1);

        assertThat(text.sql()).isEqualTo("SELECT 1 WHERE a = ? OR b = ? OR c = ?");
        assertThat(text.places()).isEqualTo(Map.of("id", List.of(1, 3), "other", List.of(2)));
    }

    @Test
    void listHasAPlaceForEachValue() {
        Sql.Text text = Sql.parse("DELETE FROM t WHERE id IN (:ids...) AND c = :consumer")
                .text(3);

        assertThat(text.sql()).isEqualTo("DELETE FROM t WHERE id IN (?, ?, ?) AND c = ?");
        assertThat(text.places()).isEqualTo(Map.of("ids", List.of(1, 2, 3), "consumer", List.of(4)));
    }

    @Test
    void whatStandsInQuotesAndACastWithColonsAreNoParameters() {
        Sql.Text text = Sql.parse("SELECT ': no', 'it''s :no', \":no\", a::text, '12:30' WHERE x = :yes")
                .text(1);

        assertThat(text.sql()).isEqualTo("SELECT ': no', 'it''s :no', \":no\", a::text, '12:30' WHERE x = ?");
        assertThat(text.places()).isEqualTo(Map.of("yes", List.of(1)));
    }
}
