package io.pigeonhole.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.dialect.MariaDb;
import io.pigeonhole.jdbc.dialect.SessionChange;
import io.pigeonhole.jdbc.postgresql.PostgresControl;
import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.sql.StoreSchema;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every statement names its tables with their schema. */
@Tag("A1")
class StoreSchemaTest {
    /** Not a column of a table, not in a string, not the name of an index that is to be used. */
    private static final Pattern PLAIN_NAME = Pattern.compile("(?<![\\w.'^(])inbox_[a-z_]+\\b(?![.'])");

    /** What a function gets as a string, as nextval does, or what is cast to a name. */
    private static final Pattern NAME_IN_STRING =
            Pattern.compile("\\(\\s*'inbox_[a-z_]+|'inbox_[a-z_]+'(?:::| AS )reg");

    private static final StoreSchema SCHEMA = new StoreSchema("\"own\"", "'own'");

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.StatementFilesTest#databases")
    void noStatementOfAFileLeavesATableWithoutItsSchema(
            Statements statements, List<Class<? extends StatementName>> kinds) {
        for (Class<? extends StatementName> kind : kinds) {
            for (StatementName name : kind.getEnumConstants()) {
                assertHasSchema(SCHEMA.qualify(statements.get(name).text(2).sql()));
            }
        }
    }

    @Test
    void noStatementOfADialectsOwnLeavesATableWithoutItsSchema() {
        MariaDb dialect = new MariaDb();
        assertHasSchema(SCHEMA.qualify(
                requireNonNull(dialect.beginWithClaim(Duration.ofSeconds(42))).text()));
        assertHasSchema(SCHEMA.qualify(String.valueOf(dialect.holdBoundsAndClaim())));
    }

    private static void assertHasSchema(String qualified) {
        assertThat(PLAIN_NAME.matcher(qualified).find()).as(qualified).isFalse();
        assertThat(NAME_IN_STRING.matcher(qualified).find()).as(qualified).isFalse();
    }

    @Test
    void nameThatHasItsSchemaAlreadyIsLeftAlone() {
        String sql = "SELECT last_value FROM inbox.inbox_arrival, inbox_prod.inbox_work JOIN inbox_prod . inbox_ledger";

        assertThat(SCHEMA.qualify(sql)).isEqualTo(sql);
    }

    @Test
    void nameThatAFunctionGetsAsAStringHasItsSchemaToo() {
        String sql =
                "SELECT nextval('inbox_arrival'), 'inbox_work' FROM inbox_work AS w WHERE w.source = concat('inbox_', ?)";
        assertThat(SCHEMA.qualify(sql))
                .isEqualTo("SELECT nextval('\"own\".inbox_arrival'), 'inbox_work' FROM \"own\".inbox_work AS w"
                        + " WHERE w.source = concat('inbox_', ?)");
        assertThat(new StoreSchema("\"o'wn\"", "'o''wn'").qualify("SELECT nextval('inbox_arrival')"))
                .isEqualTo("SELECT nextval('\"o''wn\".inbox_arrival')");
    }

    @Test
    void statementThatIsQualifiedStaysAsItIs() {
        String once = SCHEMA.qualify("SELECT id FROM inbox_work AS w, inbox_consumer WHERE w.x = inbox_consumer.x");
        assertThat(once)
                .isEqualTo("SELECT id FROM \"own\".inbox_work AS w, \"own\".inbox_consumer"
                        + " WHERE w.x = inbox_consumer.x");
        assertThat(SCHEMA.qualify(once)).isEqualTo(once);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT 1; SELECT a FROM t | false",
                "/* a tag */ INSERT INTO t VALUES (1) | false",
                "/* a tag */ (SELECT 1) | false",
                "SAVEPOINT a; ROLLBACK TO SAVEPOINT a | false",
                "SET LOCAL ROLE tenant | true",
                "/*!40000 USE other */ | true",
                "/* a /* b */ SELECT */ SET ROLE other | true",
                "select Set_Config('search_path', 'x', true) | true",
                "UPDATE t SET x = 1; RESET ROLE | true",
                "CALL become_tenant() | true",
                "use other | true",
                "DO $$ BEGIN END $$ | true"
            })
    void whatMayChangeTheSessionIsToldFromItsText(String sql, boolean mayChange) {
        assertThat(SessionChange.mayBeIn(sql)).isEqualTo(mayChange);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET TRANSACTION READ ONLY",
                "set session characteristics as transaction read only",
                "SET LOCAL transaction_read_only = on",
                "RESET ALL",
                "DISCARD ALL",
                "SELECT 1; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"
            })
    void anotherKindOfTransactionIsRefusedOnPostgres(String sql) {
        assertThat(PostgresControl.endsTransaction(sql)).isTrue();
        assertThat(PostgresControl.endsTransaction("SET LOCAL ROLE a; RESET ROLE; SET x.transaction_id = 1"))
                .isFalse();
    }
}
