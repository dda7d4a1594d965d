package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.dialect.H2Control;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class H2ControlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "-- done\ncommit",
                "// done\ncommit",
                "ROLLBACK",
                "ROLLBACK WORK",
                "BEGIN",
                "START TRANSACTION",
                "PREPARE COMMIT x",
                "SET AUTOCOMMIT TRUE",
                "SELECT $$; $$; COMMIT",
                "CREATE TABLE t (id int)",
                "DROP TABLE t",
                "ALTER TABLE t ADD c int",
                "TRUNCATE TABLE t",
                "SHUTDOWN",
                "EXECUTE IMMEDIATE 'COMMIT'",
                "ANALYZE",
                "COMMENT ON TABLE t IS 'x'",
                "CHECKPOINT",
                "CREATE INDEX i ON transactional_outbox (id)",
                "DROP TABLE transactional_outbox",
                "CREATE LOCAL TEMPORARY TABLE t (transactional int)",
                "CREATE LOCAL TEMPORARY TABLE t (id int) AS SELECT transactional FROM x",
                "CREATE LOCAL TEMPORARY TABLE t (id int) TRANSACTIONAL",
                "create temp table t (name varchar(10)) on commit drop transactional",
                "SET CACHE_SIZE 1000",
                "SET THROTTLE 10",
                "SET SCHEMA_SEARCH_PATH other, public",
                "/* a /* b */ c */ COMMIT",
                "/* a /* b */ ' */ COMMIT --'",
                "-- a\rCOMMIT",
                "// a\rCOMMIT",
                "SELECT 1 AS x$$ ; COMMIT; --$$",
                "SELECT ($$ ' $$); COMMIT; --'"
            })
    void statementsThatEndTheTransactionAreSeen(String sql) {
        assertThat(H2Control.endsTransaction(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "INSERT INTO t VALUES ('; COMMIT')",
                "SELECT \"; COMMIT\" FROM t",
                "SELECT $$; COMMIT $$",
                "/* a /* b */ ; COMMIT */ SELECT 1",
                "/* ; COMMIT */ SELECT 1",
                "ROLLBACK TO SAVEPOINT mine",
                "SAVEPOINT mine",
                "SET LOCK_TIMEOUT 5",
                "SET QUERY_TIMEOUT 5",
                "SET TIME ZONE LOCAL",
                "SET @a = 5",
                "{call f()}",
                "(SELECT 1)",
                "MERGE INTO t KEY (id) VALUES (1)"
            })
    void otherStatementsPass(String sql) {
        assertThat(H2Control.endsTransaction(sql)).isFalse();
    }
}
