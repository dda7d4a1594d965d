package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What no statement of the store says, wherever it is written: in a file, or in a class. */
class StatementTextsTest {
    private static final Path SQL = Path.of("src/main/resources/io/pigeonhole/jdbc/sql");
    private static final Path CLASSES = Path.of("src/main/java/io/pigeonhole/jdbc");

    private static final Pattern CHANGE_OF_THE_LEDGER =
            Pattern.compile("(?i)(UPDATE|(MERGE|REPLACE)\\s+INTO)\\s+inbox_ledger\\b"
                    + "|INSERT\\s+INTO\\s+inbox_ledger\\b[^;]*?(DO\\s+UPDATE|ON\\s+DUPLICATE\\s+KEY)");

    private static final Pattern BEGINNING_OF_THE_TRANSACTION = Pattern.compile(
            "(?i)\\b(CURRENT|LOCAL)_?(TIMESTAMP|TIME)\\b|transaction_timestamp|(?<![.\\w])(?<!Instant )now\\(\\)");

    /** Rows are inserted and deleted: a message that is processed leaves no dead row behind. */
    @Test
    @Tag("F48")
    void noRowOfTheLedgerIsChanged() throws IOException {
        assertThat(CHANGE_OF_THE_LEDGER
                        .matcher("WITH x AS (UPDATE inbox_ledger SET a = 1) SELECT 1")
                        .find())
                .isTrue();
        assertThat(CHANGE_OF_THE_LEDGER
                        .matcher("INSERT INTO inbox_ledger VALUES (1) ON DUPLICATE KEY UPDATE a = 1")
                        .find())
                .isTrue();

        assertNone(CHANGE_OF_THE_LEDGER, SQL, ".sql");
        assertNone(CHANGE_OF_THE_LEDGER, CLASSES, ".java");
    }

    /** In PostgreSQL {@code now()} stands still until the transaction ends; {@code clock_timestamp()} does not. */
    @Test
    @Tag("F34")
    void noStatementOfPostgresTakesTheBeginningOfItsTransactionForThePresent() throws IOException {
        assertThat(BEGINNING_OF_THE_TRANSACTION.matcher("due_at <= now()").find())
                .isTrue();

        assertNone(BEGINNING_OF_THE_TRANSACTION, SQL.resolve("postgresql"), ".sql");
        assertNone(BEGINNING_OF_THE_TRANSACTION, CLASSES.resolve("postgresql"), ".java");
    }

    private static void assertNone(Pattern forbidden, Path below, String ending) throws IOException {
        try (Stream<Path> paths = Files.walk(below)) {
            List<Path> files =
                    paths.filter(file -> file.toString().endsWith(ending)).toList();
            assertThat(files).hasSizeGreaterThan(5);
            for (Path file : files) {
                assertThat(forbidden.matcher(Files.readString(file)).results().map(found -> found.group()))
                        .as(file.toString())
                        .isEmpty();
            }
        }
    }
}
