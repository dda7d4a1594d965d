package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.pigeonhole.jdbc.admin.SizeStatement;
import io.pigeonhole.jdbc.counter.LargestNumberStatement;
import io.pigeonhole.jdbc.dialect.Products;
import io.pigeonhole.jdbc.generic.CounterStatement;
import io.pigeonhole.jdbc.generic.DeadLetterStatement;
import io.pigeonhole.jdbc.generic.LedgerStatement;
import io.pigeonhole.jdbc.generic.MoveStatement;
import io.pigeonhole.jdbc.generic.PlaceStatement;
import io.pigeonhole.jdbc.generic.WatermarkStatement;
import io.pigeonhole.jdbc.generic.WorkStatement;
import io.pigeonhole.jdbc.idempotency.IdempotencyStatement;
import io.pigeonhole.jdbc.postgresql.HistoryBarrierStatement;
import io.pigeonhole.jdbc.postgresql.PartitionStatement;
import io.pigeonhole.jdbc.postgresql.PostgresDatabase;
import io.pigeonhole.jdbc.postgresql.PostgresDeadLetterStatement;
import io.pigeonhole.jdbc.postgresql.PostgresLedgerStatement;
import io.pigeonhole.jdbc.postgresql.PostgresSchemaStatement;
import io.pigeonhole.jdbc.postgresql.PostgresTransactionStatement;
import io.pigeonhole.jdbc.postgresql.PostgresWatermarkStatement;
import io.pigeonhole.jdbc.postgresql.PostgresWorkPartitionStatement;
import io.pigeonhole.jdbc.postgresql.PostgresWorkStatement;
import io.pigeonhole.jdbc.postgresql.SequenceStatement;
import io.pigeonhole.jdbc.retention.OldRowStatement;
import io.pigeonhole.jdbc.retention.RetentionRuleStatement;
import io.pigeonhole.jdbc.retention.RetentionStatement;
import io.pigeonhole.jdbc.schema.SchemaStatement;
import io.pigeonhole.jdbc.sql.AdminStatement;
import io.pigeonhole.jdbc.sql.ConsumerStatement;
import io.pigeonhole.jdbc.sql.LedgerQuery;
import io.pigeonhole.jdbc.sql.MessageStatement;
import io.pigeonhole.jdbc.sql.ReplayStatement;
import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.store.LeaseStatement;
import io.pigeonhole.jdbc.store.WatermarkAcquisitionStatement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every statement that is kept in a file: none is missing on a database, and none is there that nobody needs. */
class StatementFilesTest {
    /** Those that every database has. */
    private static final List<Class<? extends StatementName>> KINDS = List.of(
            AdminStatement.class,
            MessageStatement.class,
            LedgerQuery.class,
            ReplayStatement.class,
            RetentionRuleStatement.class,
            RetentionStatement.class,
            ConsumerStatement.class,
            IdempotencyStatement.class,
            LargestNumberStatement.class,
            LeaseStatement.class,
            SchemaStatement.class,
            SizeStatement.class,
            WatermarkAcquisitionStatement.class);

    /** Those that only PostgreSQL has. */
    private static final List<Class<? extends StatementName>> KINDS_OF_POSTGRES = List.of(
            PostgresWorkStatement.class,
            PostgresDeadLetterStatement.class,
            PostgresWorkPartitionStatement.class,
            PostgresWatermarkStatement.class,
            PostgresSchemaStatement.class,
            PostgresTransactionStatement.class,
            PostgresLedgerStatement.class,
            SequenceStatement.class,
            PartitionStatement.class,
            HistoryBarrierStatement.class);

    /** Those that only the others have. */
    private static final List<Class<? extends StatementName>> KINDS_OF_OTHERS = List.of(
            MoveStatement.class,
            LedgerStatement.class,
            CounterStatement.class,
            PlaceStatement.class,
            WorkStatement.class,
            DeadLetterStatement.class,
            OldRowStatement.class,
            WatermarkStatement.class);

    /** Every statement that PostgreSQL has in a file. */
    static List<StatementName> ofPostgres() {
        return all(both(KINDS, KINDS_OF_POSTGRES));
    }

    /** Every statement that each of the others has in a file. */
    static List<StatementName> ofOthers() {
        return all(both(KINDS, KINDS_OF_OTHERS));
    }

    private static List<StatementName> all(List<Class<? extends StatementName>> kinds) {
        return kinds.stream()
                .<StatementName>flatMap(kind -> Arrays.stream(kind.getEnumConstants()))
                .toList();
    }

    /** The statements of each database, and the kinds of those that it needs. */
    static Stream<Arguments> databases() {
        return Stream.concat(
                Stream.of(arguments(new Statements(PostgresDatabase.STATEMENTS), both(KINDS, KINDS_OF_POSTGRES))),
                others());
    }

    static Stream<Arguments> others() {
        return Products.DIALECTS.stream()
                .map(dialect -> arguments(new Statements(dialect.statements()), both(KINDS, KINDS_OF_OTHERS)));
    }

    private static List<Class<? extends StatementName>> both(
            List<Class<? extends StatementName>> some, List<Class<? extends StatementName>> more) {
        List<Class<? extends StatementName>> both = new ArrayList<>(some);
        both.addAll(more);
        return both;
    }

    @ParameterizedTest
    @MethodSource("databases")
    void everyStatementHasATextAndEveryTextAStatement(
            Statements statements, List<Class<? extends StatementName>> kinds) {
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
    @MethodSource("others")
    void statementOfADatabaseHasTheParametersOfTheStandard(
            Statements statements, List<Class<? extends StatementName>> kinds) {
        requireParametersOfTheStandard(statements, kinds);
    }

    @Test
    void statementOfPostgresHasTheParametersOfTheStandard() {
        requireParametersOfTheStandard(new Statements(PostgresDatabase.STATEMENTS), KINDS);
    }

    private static void requireParametersOfTheStandard(
            Statements statements, List<Class<? extends StatementName>> kinds) {
        Statements standard = new Statements(List.of());
        for (Class<? extends StatementName> kind : kinds) {
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
