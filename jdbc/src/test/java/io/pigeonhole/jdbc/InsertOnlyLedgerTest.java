package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Statements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows of the ledger are inserted and deleted, never changed: no dead row is left behind by a message that is processed. */
@Tag("F48")
class InsertOnlyLedgerTest {
    private static final Path POSTGRES =
            Path.of("src/test/resources/io/pigeonhole/jdbc/statements").resolve("postgresql.txt");
    private static final Pattern CHANGE =
            Pattern.compile("(?i)(UPDATE|MERGE\\s+INTO|REPLACE\\s+INTO)\\s+inbox_ledger\\b"
                    + "|INSERT\\s+INTO\\s+inbox_ledger\\b[^;]*?(DO\\s+UPDATE|ON\\s+DUPLICATE\\s+KEY)");

    @Test
    void noStatementOfPostgresChangesARow() throws IOException {
        String statements = Files.readString(POSTGRES);
        assertThat(statements).contains("INSERT INTO inbox_ledger");
        for (String statement : statements.split("(?m)^== ", -1)) {
            assertThat(CHANGE.matcher(statement).find()).as(statement).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.StatementFilesTest#databases")
    void noStatementOfAFileChangesARow(Statements statements, List<Class<? extends StatementName>> kinds) {
        for (Class<? extends StatementName> kind : kinds) {
            for (StatementName name : kind.getEnumConstants()) {
                String sql = statements.get(name).text(2).sql();
                assertThat(CHANGE.matcher(sql).find()).as(sql).isFalse();
            }
        }
    }

    @Test
    void theTestSeesAChange() {
        assertThat(CHANGE.matcher("WITH x AS (UPDATE inbox_ledger SET accepted_at = now()) SELECT 1")
                        .find())
                .isTrue();
        assertThat(CHANGE.matcher("INSERT INTO inbox_ledger (a) VALUES (1) ON DUPLICATE KEY UPDATE a = a")
                        .find())
                .isTrue();
    }
}
