package io.pigeonhole.migration;

import java.sql.Connection;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import liquibase.Contexts;
import liquibase.Liquibase;
import liquibase.Scope;
import liquibase.UpdateSummaryEnum;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.ui.LoggerUIService;
import org.flywaydb.core.Flyway;

/** A way in which users run migrations of their own, the first of which is number 1, and those of the inbox. */
enum MigrationTool {
    FLYWAY {
        @Override
        void migrateOwn(DataSource dataSource) {
            flywayBeforeTheInbox(dataSource);
        }

        @Override
        void migrateAll(DataSource dataSource, String inbox) {
            Flyway.configure()
                    .dataSource(dataSource)
                    .locations("classpath:db/migration", inbox)
                    .load()
                    .migrate();
        }
    },

    FLYWAY_WITH_TWO_HISTORIES {
        @Override
        void migrateOwn(DataSource dataSource) {
            flywayBeforeTheInbox(dataSource);
        }

        @Override
        void migrateAll(DataSource dataSource, String inbox) {
            Flyway.configure()
                    .dataSource(dataSource)
                    .locations("classpath:db/migration")
                    .load()
                    .migrate();
            Flyway.configure()
                    .dataSource(dataSource)
                    .locations(inbox)
                    .table("inbox_schema_history")
                    .baselineOnMigrate(true)
                    .load()
                    .migrate();
        }
    },

    LIQUIBASE {
        @Override
        void migrateOwn(DataSource dataSource) {
            update(dataSource, "db/changelog/own.xml");
        }

        @Override
        void migrateAll(DataSource dataSource, String inbox) {
            update(dataSource, "db/changelog/changelog.xml");
        }

        /** Liquibase tells about itself on the console otherwise. */
        private static void update(DataSource dataSource, String changelog) {
            Logger.getLogger("liquibase").setLevel(Level.SEVERE);
            try (Connection connection = dataSource.getConnection();
                    Liquibase liquibase = new Liquibase(
                            changelog, new ClassLoaderResourceAccessor(), new JdbcConnection(connection))) {
                liquibase.setShowSummary(UpdateSummaryEnum.OFF);
                Scope.child(Scope.Attr.ui, new LoggerUIService(), () -> liquibase.update(new Contexts()));
            } catch (Exception e) {
                throw new AssertionError(changelog, e);
            }
        }
    };

    /** Runs the user's migrations as before the inbox came. */
    abstract void migrateOwn(DataSource dataSource);

    /** Runs the user's migrations, one of which is new, and those of the inbox at a location of Flyway. */
    abstract void migrateAll(DataSource dataSource, String inbox);

    private static void flywayBeforeTheInbox(DataSource dataSource) {
        Flyway.configure()
                .dataSource(dataSource)
                .locations("classpath:db/migration")
                .target("1")
                .load()
                .migrate();
    }
}
