package io.pigeonhole.jdbc.schema;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.Connections;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.util.List;

/** The tables of one database: compares them with what this version needs, and creates them. */
public final class SchemaInstallation {
    private final ShortTransactions transactions;
    private final SchemaOperations operations;

    public SchemaInstallation(ShortTransactions transactions, SchemaOperations operations) {
        this.transactions = transactions;
        this.operations = operations;
    }

    /** Also looks at the session, and whether what is committed survives. */
    public void validate() {
        attempt("to check its settings", operations::checkSession);
        Catalog expected = expected(operations.location());
        attempt("to read the catalog", () -> refuse(expected, operations.differencesFrom(expected)));
        attempt("to find out whether it is durable", operations::checkDurability);
    }

    public void apply() {
        attempt("to check its settings", operations::checkSession);
        attempt("to create the schema", operations::install);
        validate();
        operations.ensureDays(SchemaFiles.DAYS_AHEAD);
    }

    private void attempt(String doing, Connections.Step step) {
        try {
            step.run();
        } catch (SQLException e) {
            throw transactions.refused(doing, e);
        }
    }

    /** Says what is wrong, if anything is. */
    private void refuse(Catalog expected, List<String> differences) {
        if (!differences.isEmpty()) {
            String what = expected.isAllThatIsMissing(differences)
                    ? "the inbox has no tables here yet, in the schema that the connection's user finds first."
                    : "the schema of the inbox differs in " + differences.size() + " places:\n  "
                            + String.join("\n  ", differences);
            throw new ConfigurationException(what
                    + "\nTo create it run Schema.apply, or give Flyway the location classpath:" + operations.location()
                    + ", or include " + SchemaFiles.CHANGELOG
                    + " in a changelog of Liquibase; to repair it compare with Schema.print");
        }
    }

    /** What a database of a kind has to have. */
    public static Catalog expected(String location) {
        return Catalog.parse(SchemaFiles.read(location, "catalog.txt"));
    }

    /** The files of the versions that are not installed, oldest first. */
    public static List<String> missingFiles(AdminSession session, boolean isInstalled) throws SQLException {
        int installed = isInstalled ? installedVersion(session) : 0;
        return SchemaFiles.ALL.subList(Math.min(installed, SchemaFiles.ALL.size()), SchemaFiles.ALL.size());
    }

    private static int installedVersion(AdminSession session) throws SQLException {
        try (Call call = session.call(SchemaStatement.INSTALLED_VERSION)) {
            Integer version = call.first(row -> row.getInt(1));
            return version == null ? 0 : version;
        }
    }
}
