package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.MySql;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** MySQL understands less than MariaDB, and no test has a server of it. */
class MySqlTest {
    private final Dialect dialect = new MySql();

    @Test
    void transactionHasALimitForItsConnectionOnly() {
        assertThat(dialect.begin(Duration.ofSeconds(42)))
                .isEqualTo(dialect.beginForHandlers(Duration.ofSeconds(42)))
                .containsExactly(
                        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
                        "SET @pigeonhole_wait = @@innodb_lock_wait_timeout, @pigeonhole_idle = @@wait_timeout,"
                                + " wait_timeout = 42");
        assertThat(dialect.end())
                .singleElement()
                .asString()
                .startsWith("SET wait_timeout = CASE WHEN @pigeonhole_idle IS NULL THEN @@wait_timeout WHEN")
                .contains("innodb_lock_wait_timeout = CASE WHEN @pigeonhole_wait IS NULL");
    }

    @Test
    void waitIsOneOfWholeSeconds() {
        assertThat(dialect.setLockTimeout(Duration.ofMillis(1500))).containsExactly("SET innodb_lock_wait_timeout = 2");
        assertThat(dialect.setLockTimeout(Duration.ofMillis(20))).containsExactly("SET innodb_lock_wait_timeout = 1");
        assertThat(dialect.restoreLockTimeout()).containsExactly("SET innodb_lock_wait_timeout = @pigeonhole_wait");
    }

    @Test
    void nothingIsSaidInCompoundStatements() {
        assertThat(dialect.markTransaction()).containsExactly("SAVEPOINT pigeonhole_guard");
        assertThat(dialect.verifyTransaction()).containsExactly("RELEASE SAVEPOINT pigeonhole_guard");
        assertThat(dialect.proveAndCommit()).isNull();
        assertThat(dialect.beginWithClaim(Duration.ofSeconds(42))).isNull();
    }

    @Test
    void noStatementSetsAVariableForItself() {
        assertThat(StatementFilesTest.ofOthers())
                .extracting(statement ->
                        dialect.texts().get(statement).text(2).sql().toUpperCase(Locale.ROOT))
                .noneMatch(sql -> sql.contains("SET STATEMENT"));
    }
}
