package io.pigeonhole.jdbc.schema;

import java.sql.SQLException;
import java.util.List;

/** What one kind of database does in its own way where {@link SchemaInstallation} checks and creates its tables. */
public interface SchemaOperations {
    /** The folder of its files. */
    String location();

    /**
     * Looks whether the statements mean in this database and its sessions what they have to.
     *
     * @throws io.pigeonhole.core.failure.ConfigurationException if they do not, with what to change
     */
    void checkSession() throws SQLException;

    /** What it has otherwise than the expected catalog, in words. */
    List<String> differencesFrom(Catalog expected) throws SQLException;

    /** Executes the files that {@link SchemaInstallation#missingFiles} names, while no other program does. */
    void install() throws SQLException;

    /**
     * Looks whether what is committed survives a crash.
     *
     * @throws io.pigeonhole.core.failure.ConfigurationException if it does not, and nobody can want that
     */
    default void checkDurability() throws SQLException {}

    /** Creates the days of ledger and history that are missing. */
    void ensureDays(int ahead);
}
