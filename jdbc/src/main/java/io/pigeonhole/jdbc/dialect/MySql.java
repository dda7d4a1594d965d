package io.pigeonhole.jdbc.dialect;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** MySQL 8.0 and later, as far as it differs from {@link MariaDb}. Has no state. */
public class MySql extends MariaDb {
    @Override
    public String name() {
        return "MySQL";
    }

    @Override
    public String supportedVersions() {
        return "MySQL 8.0 and later";
    }

    @Override
    public boolean recognises(String product, String version) {
        return product.equals("MySQL") && !version.contains("MariaDB") && isAtLeast(version, 8, 0);
    }

    /** It has no limit for idle transactions, only one for idle connections. */
    @Override
    public List<String> begin(Duration idleLimit) {
        return List.of(
                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
                "SET @pigeonhole_wait = @@innodb_lock_wait_timeout, @pigeonhole_idle = @@wait_timeout, wait_timeout = "
                        + seconds(idleLimit));
    }

    @Override
    public List<String> statements() {
        return List.of("io/pigeonhole/jdbc/sql/mariadb/", "io/pigeonhole/jdbc/sql/mysql/");
    }

    /** It has a limit for queries only. */
    @Override
    public List<String> beginForHandlers(Duration idleLimit) {
        return begin(idleLimit);
    }

    /** Its limit is for queries only. */
    @Override
    public List<String> liftHandlersLimit() {
        return List.of();
    }

    @Override
    public List<String> setHandlersLimit(Duration idleLimit) {
        return List.of();
    }

    @Override
    public boolean isCancelled(SQLException failure) {
        return false;
    }

    @Override
    public List<String> end() {
        return List.of("SET wait_timeout = " + noted("@pigeonhole_idle", "UNSIGNED", "wait_timeout")
                + ", innodb_lock_wait_timeout = " + noted("@pigeonhole_wait", "UNSIGNED", "innodb_lock_wait_timeout"));
    }

    /** Its limit is for queries only. */
    @Override
    public List<String> verifyTransaction() {
        return List.of("RELEASE SAVEPOINT pigeonhole_guard");
    }

    /** It has no compound statements outside of procedures. */
    @Override
    public @Nullable SessionStatement beginWithClaim(Duration idleLimit) {
        return null;
    }

    /** It has no compound statements outside of procedures. */
    @Override
    public @Nullable SessionStatement proveAndCommit() {
        return null;
    }

    /** Not exercised on this database. */
    @Override
    public @Nullable String holdBoundsAndClaim() {
        return null;
    }

    @Override
    String role(@Nullable String current) {
        return current == null || current.isEmpty() ? "NONE" : current;
    }

    @Override
    public List<String> restoreLockTimeout() {
        return List.of("SET innodb_lock_wait_timeout = @pigeonhole_wait");
    }

    @Override
    String explainPartitions() {
        return "EXPLAIN FORMAT=TRADITIONAL ";
    }

    @Override
    String beginDefinition(String seconds) {
        return "SET @pigeonhole_meta = @@lock_wait_timeout, lock_wait_timeout = " + seconds;
    }

    @Override
    String endDefinition() {
        return "SET lock_wait_timeout = @pigeonhole_meta";
    }

    /** It waits for a second at least. */
    @Override
    public List<String> setLockTimeout(Duration timeout) {
        return List.of("SET innodb_lock_wait_timeout = " + seconds(timeout));
    }

    @Override
    public boolean endsTransaction(String sql) {
        return MariaDbControl.endsTransactionOfMySql(sql);
    }
}
