package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.dialect.MariaDbControl;
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
                "HANDLER t OPEN",
                "LOCK TABLES t WRITE",
                "UNLOCK TABLES",
                "OPTIMIZE TABLE t",
                "BEGIN NOT ATOMIC COMMIT; END",
                "ANALYZE LOCAL TABLE t",
                "CHECK TABLE t",
                "FLUSH TABLES",
                "EXECUTE IMMEDIATE 'COMMIT'",
                "PREPARE s FROM 'COMMIT'",
                "EXECUTE s",
                "LOAD INDEX INTO CACHE t",
                "DROP TABLE temporary",
                "CREATE INDEX temporary ON t (c)",
                "SET STATEMENT max_statement_time = 5 FOR ROLLBACK TO SAVEPOINT s",
                "SET STATEMENT max_statement_time = 5 FOR SAVEPOINT pigeonhole",
                "SET STATEMENT max_statement_time = 9 FOR COMMIT",
                "SELECT GET_LOCK('a', 5)",
                "DO `get_lock` ('a', 5)",
                "CREATE TEMPORARY TABLE t (id int)",
                "CREATE TEMPORARY TABLE IF NOT EXISTS t (id int)",
                "CREATE OR REPLACE TABLE t (id int)",
                "SET PASSWORD = 'x'",
                "SET STATEMENT timestamp = 9 FOR SELECT 1",
                "SET SESSION TRANSACTION READ ONLY",
                "SET `autocommit` = 1",
                "SET SESSION `autocommit` = 1",
                "SET @@timestamp = 5",
                "SET @a = 1, insert_id = 5",
                "/*!999999 ' */ COMMIT /*!999999 ' */",
                "/*!999999 SELECT */ /*!50000 COMMIT */",
                "/* a /* b */ COMMIT",
                "SELECT /*! 1"
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
                "INSERT INTO t VALUES ('it\\'s in C:\\temp', \"it's \\\"so\\\"\")",
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
                "CREATE OR REPLACE TEMPORARY TABLE t (id int)",
                "DROP TEMPORARY TABLE t",
                "INSERT INTO t VALUES ('GET_LOCK(1)')",
                "SELECT RELEASE_LOCK('a')",
                "UPDATE locked SET commit = 1",
                "{call finish(?)}",
                "{?= call finish(?)}",
                "(SELECT 1) UNION (SELECT 2)",
                "SELECT(1)",
                "WITH c AS (SELECT 1) SELECT * FROM c",
                "REPLACE INTO t VALUES (1)",
                "DO sleep(0)",
                "SET @timestamp = 5",
                "SET NAMES utf8mb4",
                "SET @a = '=', @b = 2",
                "SHOW WARNINGS",
                "SET STATEMENT innodb_lock_wait_timeout = 1 FOR UPDATE t SET timestamp = 2"
            })
    void otherStatementsPass(String sql) {
        assertThat(MariaDbControl.endsTransaction(sql)).isFalse();
    }

    /** With NO_BACKSLASH_ESCAPES, or with ANSI_QUOTES, a string ends before the semicolon. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t VALUES ('\\'; COMMIT')",
                "SELECT '\\'; COMMIT; -- '",
                "SELECT 1 AS \"\\\"; COMMIT; -- \"",
                "SELECT '\\'; SAVEPOINT one; -- '",
                "SELECT 1 AS \"\\\"; SET sql_mode = ''; -- \""
            })
    void statementsThatAModeOfTheSessionUncoversAreSeen(String sql) {
        assertThat(MariaDbControl.endsTransaction(sql)).isTrue();
    }
}
