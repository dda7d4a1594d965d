package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.jdbc.dialect.SavepointStep;
import io.pigeonhole.jdbc.dialect.TransactionControl;
import io.pigeonhole.jdbc.postgresql.PostgresControl;
import io.pigeonhole.jdbc.postgresql.PostgresSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresControlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TEMP TABLE t (x int); END",
                "CREATE FUNCTION one() RETURNS int BEGIN ATOMIC SELECT 1; END; END",
                "COMMIT",
                "  commit work;",
                "-- done\ncommit",
                "/* done */ /* really */ END",
                ";;COMMIT",
                "rollback",
                "ROLLBACK WORK",
                "ROLLBACK AND CHAIN",
                "abort",
                "PREPARE TRANSACTION 'x'",
                "commit prepared 'x'",
                "SELECT 1; COMMIT",
                "INSERT INTO t VALUES ('it''s; '); END; SELECT 1",
                "SELECT E'\\'; '; COMMIT",
                "SELECT $$ ' $$; commit",
                "SELECT $a$ $b$ $a$; rollback -- $b$",
                "SELECT \";\" FROM t; COMMIT AND CHAIN",
                "UPDATE t SET a = CASE WHEN b THEN 1 END; ABORT",
                "SELECT pg_advisory_lock(1)",
                "SELECT pg_catalog.\"pg_advisory_lock_shared\" (1, 2)",
                "SELECT pg_try_advisory_lock(1)",
                "SELECT * FROM pg_try_advisory_lock_shared(1)",
                "DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$",
                "SELECT 1; DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$",
                "SELECT ';';/* a */do/* b */LANGUAGE plpgsql 'BEGIN PERFORM pg_advisory_lock(1); END'",
                "SELECT '\\'; DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$; --'",
                "/* a /* b */ c */ COMMIT",
                "/* a /* ' */ c */ COMMIT --'",
                "-- a\rCOMMIT",
                "SELECT 1 AS x$b$; COMMIT; SELECT 1 AS y$b$",
                "SELECT 1 AS é$b$; COMMIT; SELECT 1 AS é$b$",
                "SELECT 1 AS x$e'\\'; COMMIT; --'",
                "SELECT '\\'; COMMIT; --'",
                "SELECT '\\''; COMMIT; --'",
                "SELECT E'a'\n'b\\'', 'c\\'; COMMIT; --'",
                "CREATE TEMP TABLE t (x int)",
                "CREATE TEMPORARY TABLE IF NOT EXISTS t AS SELECT 1",
                "create local temp table t (x int) on commit delete rows",
                "CREATE TABLE pg_temp.t (x int)",
                "CREATE TABLE \"pg_temp\".t (x int)",
                "CREATE OR REPLACE VIEW pg_temp.t AS SELECT 1",
                "SELECT 1 AS x INTO pg_temp.t",
                "SELECT 1 AS x INTO TABLE \"pg_temp\".t",
                "CREATE OR REPLACE TEMP VIEW t AS SELECT 1",
                "CREATE TEMP SEQUENCE s",
                "SELECT 1 AS x INTO TEMP t",
                "SELECT 'ON COMMIT DROP' AS x INTO TEMPORARY TABLE t",
                "PREPARE find AS SELECT 1",
                "SELECT 1; prepare find (int) AS SELECT $1",
                "LISTEN news",
                "/* a */ listen \"news\"",
                "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
                "declare c no scroll cursor /* a */ with\nhold for select 1",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "set/* a */constraints \"one\", two deferred",
                "INSERT INTO t VALUES (1); SET CONSTRAINTS one DEFERRED",
                "DO $$ BEGIN SET CONSTRAINTS ALL DEFERRED; END $$"
            })
    void statementsThatEndTheTransactionAreSeen(String sql) {
        assertThat(PostgresControl.endsTransaction(sql)).isTrue();
    }

    /** The driver takes the braces out, and sends what is left. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{oj commit}",
                "{OJcommit}",
                "{fn ccommit}",
                "{fn abs(1);commit;(2)}",
                "/* done */ ({oj commit})",
                "SELECT 1; {oj commit}",
                "com{oj mit}",
                "{oj com}mit",
                "SELECT 1; com{oj mit}",
                "{oj set} role other",
                "SELECT {oj a -}- x\n FROM t",
                "SELECT {oj E}'\\'; COMMIT; --'",
                "SELECT ${oj a}$ ; $a$",
                "{call finish(); commit}"
            })
    void statementsThatEscapesOfJdbcHideAreSeen(String sql) {
        assertThat(PostgresControl.endsTransaction(sql)).isTrue();
    }

    /** The session may take a backslash for one that escapes, or not. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT '\\'; SAVEPOINT one; --'",
                "SELECT '\\'; SAVEPOINT one; SELECT '\\''; SAVEPOINT two; --'",
                "SAVEPOINT one; SELECT '\\'; ROLLBACK TO one; --'"
            })
    void statementWhoseSavepointsDependOnTheSessionIsRefused(String sql) {
        assertThat(PostgresControl.endsTransaction(sql)).isTrue();
    }

    @Test
    void savepointBesideABackslashIsNotedOnce() {
        TransactionControl control = new TransactionControl(
                PostgresControl::endsTransaction,
                PostgresControl::makesForTransaction,
                PostgresControl::asStandard,
                PostgresControl::savepointName);

        assertThat(control.savepoints("SAVEPOINT one; INSERT INTO t VALUES ('C:\\temp'), ('it\\''s')"))
                .containsExactly(new SavepointStep(SavepointStep.Kind.SET, "one"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TEMP TABLE t (x int) ON COMMIT DROP",
                "CREATE TEMPORARY TABLE t ON COMMIT DROP AS SELECT 1",
                "INSERT INTO temp VALUES (1)",
                "SELECT temp FROM t",
                "INSERT INTO t SELECT * FROM pg_temp.t",
                "INSERT INTO pg_temp.t SELECT 1",
                "WITH x AS (SELECT 1) INSERT /* a */ INTO \"pg_temp\".t SELECT * FROM x",
                "CREATE TABLE /* a */ pg_temp.t (x int) ON COMMIT DROP",
                "",
                "SELECT {fn now()}, {d '2026-11-22'}::text FROM {oj a LEFT JOIN b ON (a.x = b.x)} WHERE a.y>{fn abs(?)}",
                "INSERT INTO t VALUES ('{\"end\": {\"oj\": 1}}', '{1,2}'::int[])",
                "INSERT INTO t VALUES ('C:\\temp\\{end}') -- {oj a}b",
                "SAVEPOINT one; INSERT INTO t VALUES ('C:\\temp')",
                "{? = call finish(?)}",
                "INSERT INTO ended VALUES ('COMMIT')",
                "ROLLBACK TO SAVEPOINT mine",
                "ROLLBACK WORK TO mine",
                "rollback transaction to savepoint mine",
                "RELEASE SAVEPOINT mine",
                "SAVEPOINT commit",
                "SELECT pg_advisory_xact_lock(1), pg_try_advisory_xact_lock_shared(2)",
                "INSERT INTO t VALUES ('pg_advisory_lock(1)')",
                "NOTIFY news, 'LISTEN news'",
                "UNLISTEN news",
                "DECLARE c CURSOR FOR SELECT 1",
                "DECLARE c CURSOR WITHOUT HOLD FOR WITH hold AS (SELECT 1) SELECT * FROM hold",
                "DECLARE c CURSOR FOR WITH hold AS (SELECT 1) SELECT * FROM hold",
                "SELECT listen, hold FROM prepare",
                "UPDATE t SET constraints = 1",
                "INSERT INTO t VALUES ('SET CONSTRAINTS ALL DEFERRED')",
                "-- commit\nSELECT 1",
                "/* commit */ SELECT 1",
                "committed()",
                "{call finish(?)}",
                "WITH x AS (SELECT 1) SELECT * FROM x",
                "/* never closed",
                "SELECT 'a; COMMIT'",
                "SELECT E'\\'; COMMIT'",
                "SELECT $$; COMMIT; $$",
                "SELECT $x$; COMMIT $$; $x$",
                "SELECT \"; COMMIT\" FROM t",
                "SELECT 1 -- ; COMMIT",
                "SELECT CASE WHEN true THEN 1 END",
                "CREATE FUNCTION one() RETURNS int BEGIN ATOMIC SELECT 1; END",
                "DO $$ BEGIN PERFORM 1; END $$",
                "SELECT 1; DO $$ BEGIN PERFORM pg_advisory_xact_lock(1); END $$",
                "INSERT INTO t VALUES ('; DO pg_advisory_lock(1)') ON CONFLICT DO NOTHING",
                "SELECT 'pg_advisory_lock(1)' AS \"; DO it\"",
                "/* a /* b */ ; COMMIT */ SELECT 1",
                "SELECT CASE WHEN a ~ '^\\d+$' THEN 'C:\\temp' END",
                "SELECT a$b, '; COMMIT' AS c$b",
                "SELECT E'it\\'s'\n'; COMMIT'"
            })
    void otherStatementsPass(String sql) {
        assertThat(PostgresControl.endsTransaction(sql)).isFalse();
    }

    @Test
    void refusalRepeatsNoLongStatement() {
        String value = "x".repeat(10_000);
        TransactionControl control = new TransactionControl(
                PostgresControl::endsTransaction,
                PostgresControl::makesForTransaction,
                PostgresControl::asStandard,
                PostgresControl::savepointName);
        assertThatThrownBy(() -> control.refuse("INSERT INTO t VALUES ('" + value + "');\nCOMMIT"))
                .isInstanceOf(IllegalStateException.class)
                .message()
                .contains("characters)")
                .hasSizeLessThan(1_500);
        assertThatThrownBy(() -> PostgresSettings.names("SET app.tenant = '" + value + "'"))
                .isInstanceOf(IllegalStateException.class)
                .message()
                .contains("characters)")
                .hasSizeLessThan(1_000);
    }

    @Test
    void settingBehindACommentInACommentIsSeen() {
        assertThatThrownBy(() -> PostgresSettings.names("/* a /* b */ ' */ SET app.tenant = 'A'; --'"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("SET LOCAL app.tenant");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TEMP TABLE t (x int) ON COMMIT DROP",
                "CREATE /* a */ TEMP\nTABLE t (x int) ON COMMIT DROP",
                "CREATE -- a\n TEMPORARY TABLE t (x int) ON COMMIT DROP",
                "CREATE TABLE \"pg_temp\".t (x int) ON COMMIT DROP",
                "SELECT '\\'; CREATE TEMP TABLE t (x int) ON COMMIT DROP; --'",
                "DECLARE c CURSOR FOR SELECT 1",
                "declare/* a */c no scroll cursor/* b */for select 1",
                "DO $$ BEGIN CREATE TEMP TABLE t (x int) ON COMMIT DROP; END $$",
                "SELECT 1; DO 'BEGIN CREATE TEMP VIEW t AS SELECT 1; END'"
            })
    void whatMayEndOnlyWithTheTransactionIsRecognised(String sql) {
        assertThat(PostgresControl.makesForTransaction(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t VALUES ('CREATE TEMP TABLE t'), ('declare a cursor')",
                "INSERT INTO temp SELECT cursor FROM pg_temp.t -- CREATE TEMP TABLE t",
                "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN CREATE TEMP TABLE t (x int); END $$",
                "UPDATE t SET \"create temp table\" = 1"
            })
    void whatOnlyLooksLikeThatIsNot(String sql) {
        assertThat(PostgresControl.makesForTransaction(sql)).isFalse();
    }
}
