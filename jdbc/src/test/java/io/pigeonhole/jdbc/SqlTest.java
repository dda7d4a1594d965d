package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pigeonhole.jdbc.sql.Sql;
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
    void listThatOccursTwiceHasPlacesForBoth() {
        Sql.Text text = Sql.parse("a IN (:ids...) OR b IN (:ids...)").text(2);

        assertThat(text.sql()).isEqualTo("a IN (?, ?) OR b IN (?, ?)");
        assertThat(text.places()).isEqualTo(Map.of("ids", List.of(1, 2, 3, 4)));
    }

    @Test
    void whatStandsInBracesIsThereForEachElement() {
        Sql.Text text =
                Sql.parse("VALUES {(:consumer, ':', :keys..., :hashes...)}").text(2);

        assertThat(text.sql()).isEqualTo("VALUES (?, ':', ?, ?), (?, ':', ?, ?)");
        assertThat(text.places())
                .isEqualTo(Map.of("consumer", List.of(1, 4), "keys", List.of(2, 5), "hashes", List.of(3, 6)));
    }

    @Test
    void queriesInTwoBracesAreUnited() {
        Sql.Text text = Sql.parse("a IN (:ids...) UNION ALL {{(SELECT :ids... LIMIT :limit)}}")
                .text(2);

        assertThat(text.sql()).isEqualTo("a IN (?, ?) UNION ALL (SELECT ? LIMIT ?)\nUNION ALL\n(SELECT ? LIMIT ?)");
        assertThat(text.places()).isEqualTo(Map.of("ids", List.of(1, 2, 3, 5), "limit", List.of(4, 6)));
    }

    @Test
    void listsMayHaveUnequalLengths() {
        Sql sql = Sql.parse("a IN (:few...) OR b IN (:many...)");

        assertThat(sql.text(Map.of("few", 1, "many", 3)).sql()).isEqualTo("a IN (?) OR b IN (?, ?, ?)");
        assertThat(sql.text(Map.of("few", 2, "many", 1)).sql()).isEqualTo("a IN (?, ?) OR b IN (?)");
        assertThat(sql.text(2).sql()).isEqualTo("a IN (?, ?) OR b IN (?, ?)");
    }

    @Test
    void whatIsRepeatedNeedsAList() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Sql.parse("VALUES {(:consumer)}"))
                .withMessageContaining("how often");
    }

    @Test
    void whatStandsInQuotesAndACastWithColonsAreNoParameters() {
        Sql.Text text = Sql.parse("SELECT ': no', 'it''s :no', \":no\", a::text, '12:30' WHERE x = :yes")
                .text(1);

        assertThat(text.sql()).isEqualTo("SELECT ': no', 'it''s :no', \":no\", a::text, '12:30' WHERE x = ?");
        assertThat(text.places()).isEqualTo(Map.of("yes", List.of(1)));
    }

    @Test
    void textBehindAnotherOneHasItsParametersBehindThoseOfThat() {
        Sql.Text text = Sql.parse("a IN (:ids...) AND b = :limit")
                .text(2)
                .behind(Sql.parse("SELECT :first, :second").text(1));

        assertThat(text.sql()).isEqualTo("SELECT ?, ?;\na IN (?, ?) AND b = ?");
        assertThat(text.places())
                .isEqualTo(
                        Map.of("first", List.of(1), "second", List.of(2), "ids", List.of(3, 4), "limit", List.of(5)));
    }

    @Test
    void bracesInQuotesRepeatNothing() {
        Sql.Text text = Sql.parse("SELECT a ~ '^[0-9a-f-]{36}$' AND b = ANY ('{1,2}') AND c IN (:ids...)")
                .text(2);

        assertThat(text.sql()).isEqualTo("SELECT a ~ '^[0-9a-f-]{36}$' AND b = ANY ('{1,2}') AND c IN (?, ?)");
    }
}
