package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MariaDbControlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                " commit work",
                "-- done\ncommit",
                "# done\ncommit",
                "/* done */ ROLLBACK",
                "/*!COMMIT*/",
                "/*!50000 COMMIT */",
                "/*M!100100 COMMIT */",
                "ROLLBACK AND CHAIN",
                "START TRANSACTION",
                "begin",
                "BEGIN WORK",
                "XA END 'x'",
                "SET autocommit = 1",
                "SET @a = 1, @@session.autocommit = 1",
                "set session AUTOCOMMIT=1",
                "INSERT INTO t VALUES ('it\\'s; '); COMMIT",
                "SELECT `;` FROM t; COMMIT",
                "SELECT 1 -- ;\n; commit",
                "CREATE TABLE t (id int)",
                "DROP TABLE t",
                "ALTER TABLE t ADD c int",
                "TRUNCATE t",
                "RENAME TABLE a TO b",
                "LOCK TABLES t WRITE",
                "UNLOCK TABLES",
                "OPTIMIZE TABLE t"
            })
    void statementsThatEndTheTransactionAreSeen(String sql) {
        assertThat(MariaDbControl.endsTransaction(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "INSERT INTO t VALUES ('COMMIT')",
                "INSERT INTO t VALUES (\"; COMMIT\")",
                "INSERT INTO t VALUES ('it''s; COMMIT')",
                "INSERT INTO t VALUES ('\\'; COMMIT')",
                "SELECT `; COMMIT` FROM t",
                "ROLLBACK TO SAVEPOINT mine",
                "ROLLBACK WORK TO mine",
                "RELEASE SAVEPOINT mine",
                "SAVEPOINT commit",
                "# commit",
                "-- commit\nSELECT 1",
                "/* ; commit */ SELECT 1",
                "SELECT 5--1",
                "SET @autocommit_of_mine = 1",
                "SET innodb_lock_wait_timeout = 5",
                "CREATE TEMPORARY TABLE t (id int)",
                "DROP TEMPORARY TABLE t",
                "BEGIN NOT ATOMIC SELECT 1",
                "UPDATE locked SET commit = 1",
                "{call finish(?)}"
            })
    void otherStatementsPass(String sql) {
        assertThat(MariaDbControl.endsTransaction(sql)).isFalse();
    }
}
