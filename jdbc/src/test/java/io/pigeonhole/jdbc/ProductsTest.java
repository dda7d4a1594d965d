package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.jdbc.dialect.Products;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ProductsTest {
    @Test
    void postgresIsKnownFrom13On() {
        assertThatCode(() -> Products.find(connectionTo("PostgreSQL", 13))).doesNotThrowAnyException();
        assertThatCode(() -> Products.find(connectionTo("PostgreSQL", 18))).doesNotThrowAnyException();
        assertThatThrownBy(() -> Products.find(connectionTo("PostgreSQL", 12)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith(
                        "the database is PostgreSQL 12.3; the inbox knows PostgreSQL 13 and later, MariaDB 10.6");
    }

    @Test
    void otherDatabasesAreRefused() {
        assertThatThrownBy(() -> Products.find(connectionTo("SQLite", 14)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SQLite 14.3");
    }

    private static Connection connectionTo(String product, int major) {
        DatabaseMetaData database = proxy(DatabaseMetaData.class, name -> switch (name) {
            case "getDatabaseProductName" -> product;
            case "getDatabaseProductVersion" -> major + ".3";
            case "getDatabaseMajorVersion" -> major;
            default -> throw new UnsupportedOperationException(name);
        });
        return proxy(Connection.class, name -> database);
    }

    private static <T> T proxy(Class<T> type, Function<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answers.apply(method.getName())));
    }
}
