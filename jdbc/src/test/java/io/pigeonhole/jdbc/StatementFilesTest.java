package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every statement that is kept in a file: none is missing on a database, and none is there that nobody needs. */
class StatementFilesTest {
    static final List<Class<? extends StatementName>> KINDS = List.of(
            AdminStatement.class,
            MoveStatement.class,
            ReplayStatement.class,
            RetentionRuleStatement.class,
            ConsumerStatement.class,
            SizeStatement.class,
            SchemaStatement.class,
            LedgerStatement.class,
            NumberStatement.class,
            WorkStatement.class,
            DeadLetterStatement.class,
            RetentionStatement.class,
            WatermarkStatement.class);

    /** Those that only PostgreSQL has. */
    private static final List<Class<? extends StatementName>> KINDS_OF_POSTGRES = List.of(
            PostgresWorkStatement.class,
            PostgresDeadLetterStatement.class,
            PostgresLaneStatement.class,
            PostgresWatermarkStatement.class,
            PostgresRetentionStatement.class,
            PostgresNumberStatement.class,
            PartitionStatement.class,
            HistoryBarrierStatement.class);

    /** Every statement that PostgreSQL has in a file. */
    static List<StatementName> ofPostgres() {
        return Stream.of(KINDS, KINDS_OF_POSTGRES)
                .flatMap(List::stream)
                .<StatementName>flatMap(kind -> Arrays.stream(kind.getEnumConstants()))
                .toList();
    }

    static Stream<Statements> databases() {
        return Stream.concat(
                Stream.of(new Statements(PostgresDatabase.STATEMENTS)),
                Products.DIALECTS.stream().map(dialect -> new Statements(dialect.statements())));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void everyStatementHasATextAndEveryTextAStatement(Statements statements) {
        requireSame(statements, KINDS);
    }

    @Test
    void everyStatementOfPostgresAloneHasATextAndEveryTextAStatement() {
        requireSame(new Statements(PostgresDatabase.STATEMENTS), KINDS_OF_POSTGRES);
    }

    private static void requireSame(Statements statements, List<Class<? extends StatementName>> kinds) {
        for (Class<? extends StatementName> kind : kinds) {
            StatementName[] all = kind.getEnumConstants();
            Set<String> names = Arrays.stream(all)
                    .map(statement -> statement.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(statements.names(all[0].file())).isEqualTo(names);
            assertThat(all)
                    .allSatisfy(statement ->
                            assertThat(statements.get(statement).text(2).sql()).doesNotContainPattern("[{][a-z]"));
        }
    }

    /** The hash of an ordering key stands where an index cannot hold the key itself, and is bound where it stands. */
    @ParameterizedTest
    @MethodSource("databases")
    void statementOfADatabaseHasTheParametersOfTheStandard(Statements statements) {
        Statements standard = new Statements(List.of());
        for (Class<? extends StatementName> kind : KINDS) {
            assertThat(kind.getEnumConstants())
                    .allSatisfy(statement -> assertThat(standard.get(statement).parameters())
                            .containsAll(statements.get(statement).parameters()));
        }
    }

    @Test
    void folderWithoutASlashIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Statements(List.of("io/pigeonhole/jdbc/sql/mariadb")))
                .withMessageContaining("no slash");
    }

    @Test
    void missingStatementIsSaidWithItsFile() {
        enum Missing implements StatementName {
            NOT_WRITTEN;

            @Override
            public String file() {
                return "admin";
            }
        }

        assertThatIllegalStateException()
                .isThrownBy(() -> new Statements(List.of()).require(Missing.class))
                .withMessageContaining("no statement not_written in admin.sql");
    }
}
