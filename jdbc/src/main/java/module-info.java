/**
 * The store on JDBC. It opens the folders of its schema to programs that apply them, such as Flyway and Liquibase; everything else
 * that is no API stays inside.
 */
@SuppressWarnings("opens") // Folders of SQL, in which javac sees no class.
module io.pigeonhole.jdbc {
    requires transitive io.pigeonhole.core;
    requires transitive java.sql;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.pigeonhole.jdbc;

    opens io.pigeonhole.schema;
    opens io.pigeonhole.schema.h2;
    opens io.pigeonhole.schema.mariadb;
    opens io.pigeonhole.schema.postgresql;
}
