package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.H2;
import io.pigeonhole.jdbc.dialect.MariaDb;
import io.pigeonhole.jdbc.dialect.Products;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the errors of MariaDB and H2 mean: state, code, meaning. */
class DialectErrorsTest {
    private static final String OF_MARIADB = """
            HY000, 1205, RETRY_NOW
            40001, 1213, RETRY_NOW
            HY000, 1206, RETRY_NOW
            HY000, 1020, RETRY_NOW
            HY000, 1412, RETRY_NOW
            HY000, 1526, RETRY_NOW
            HY000, 3572, RETRY_NOW
            40001, 0, RETRY_NOW
            08004, 1040, UNAVAILABLE
            42000, 1203, UNAVAILABLE
            42000, 1226, UNAVAILABLE
            42000, 1461, UNAVAILABLE
            28000, 1045, UNAVAILABLE
            08S01, 1053, UNAVAILABLE
            70100, 1927, UNAVAILABLE
            HY000, 4031, UNAVAILABLE
            HY000, 2006, UNAVAILABLE
            HY000, 2013, UNAVAILABLE
            HY000, 1290, UNAVAILABLE
            HY000, 1836, UNAVAILABLE
            25006, 1792, UNAVAILABLE
            08S01, 1047, UNAVAILABLE
            HY000, 1021, UNAVAILABLE
            HY000, 1114, UNAVAILABLE
            HY001, 1037, UNAVAILABLE
            HY001, 1038, UNAVAILABLE
            HY000, 1041, UNAVAILABLE
            08000, 0, UNAVAILABLE
            28000, 0, UNAVAILABLE
            70100, 1317, MESSAGE
            70100, 1969, MESSAGE
            HY000, 3024, MESSAGE
            22003, 1264, PERMANENT
            01000, 1265, PERMANENT
            22007, 1366, PERMANENT
            22001, 1406, PERMANENT
            22003, 1690, PERMANENT
            08S01, 1153, PERMANENT
            22001, 0, PERMANENT
            HY000, 1364, MESSAGE
            45000, 1644, MESSAGE
            23000, 1062, MESSAGE
            23000, 1452, MESSAGE
            42000, 1064, MESSAGE
            42S02, 1146, MESSAGE
            42000, 1305, MESSAGE
            21000, 1242, MESSAGE
            45001, 0, MESSAGE
            HY000, 9999, UNKNOWN
            """;

    private static final String OF_H2 = """
            40001, 40001, RETRY_NOW
            HYT00, 50200, RETRY_NOW
            90131, 90131, RETRY_NOW
            57014, 57014, MESSAGE
            90007, 90007, UNAVAILABLE
            90067, 90067, UNAVAILABLE
            90098, 90098, UNAVAILABLE
            90121, 90121, UNAVAILABLE
            90028, 90028, UNAVAILABLE
            90097, 90097, UNAVAILABLE
            22001, 22001, PERMANENT
            22018, 22018, PERMANENT
            23505, 23505, MESSAGE
            23506, 23506, MESSAGE
            42102, 42102, MESSAGE
            21000, 0, MESSAGE
            28000, 28000, UNAVAILABLE
            HY000, 50000, UNKNOWN
            """;

    @ParameterizedTest
    @CsvSource(textBlock = OF_MARIADB)
    void errorOfMariaDbMeans(String state, int code, ErrorClass meaning) {
        assertThat(new MariaDb().classOf(new SQLException("refused", state, code)))
                .isEqualTo(meaning);
    }

    @ParameterizedTest
    @CsvSource(textBlock = OF_H2)
    void errorOfH2Means(String state, int code, ErrorClass meaning) {
        assertThat(new H2().classOf(new SQLException("refused", state, code))).isEqualTo(meaning);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "General error: \"Transaction 2 has status ROLLING_BACK, not OPEN [2.5.252/103]\"",
                "Transaction was illegally transitioned from ROLLING_BACK to ROLLING_BACK [2.5.252/103]"
            })
    void victimOfADeadlockOnH2IsToBeRepeated(String text) {
        assertThat(new H2().classOf(new SQLException(text, "HY000", 50000))).isEqualTo(ErrorClass.RETRY_NOW);
    }

    @Test
    void fullDisksAreKnown() {
        for (int code : new int[] {1021, 1114}) {
            assertThat(new MariaDb().isFull(new SQLException("full", "HY000", code)))
                    .isTrue();
        }
        for (int code : new int[] {90031, 90100}) {
            assertThat(new H2().isFull(new SQLException("full", "" + code, code)))
                    .isTrue();
        }
        assertThat(new MariaDb().isFull(new SQLException("out of memory", "HY001", 1037)))
                .isFalse();
        assertThat(new H2().isFull(new SQLException("out of memory", "90108", 90108)))
                .isFalse();
    }

    @Test
    void everyCodeOfMariaDbIsTested() {
        Set<Integer> untested = new HashSet<>(MariaDb.CODES.keySet());
        OF_MARIADB.lines().forEach(line -> untested.remove(Integer.valueOf(line.split(", ", -1)[1])));
        assertThat(untested).isEmpty();
    }

    /** A packet that is too large is told with a state of connections, and the server hangs up; the message is at fault. */
    @Test
    void lostConnectionIsLostWhateverItsStateSays() {
        for (int code : new int[] {1053, 1927, 2006, 2013, 4031}) {
            assertThat(new MariaDb().isConnectionLost(new SQLException("gone", "HY000", code)))
                    .isTrue();
        }
        assertThat(new MariaDb().isConnectionLost(new SQLException("timeout", "HY000", 1205)))
                .isFalse();
        assertThat(new H2().isConnectionLost(new SQLException("closed", "90098", 90098)))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "MariaDB, 10.11.19-MariaDB, MariaDB",
        "MariaDB, 11.4.5-MariaDB-log, MariaDB",
        "MySQL, 5.5.5-10.6.1-MariaDB, MariaDB",
        "MySQL, 8.0.36, MySQL",
        "MySQL, 9.1.0, MySQL",
        "H2, 2.5.252 (2026-01-01), H2",
        "MariaDB, 10.5.1-MariaDB, none",
        "MySQL, 5.7.44, none",
        "H2, 1.4.200, none",
        "H2, 2.1.214, none",
        "SQLite, 3.1, none"
    })
    void productIsRecognisedByNameAndVersion(String product, String version, String expected) {
        String found = Products.DIALECTS.stream()
                .filter(dialect -> dialect.recognises(product, version))
                .map(Dialect::name)
                .reduce((one, other) -> one + " and " + other)
                .orElse("none");
        assertThat(found).isEqualTo(expected);
    }
}
