package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.ConfigurationException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Recognises what answers with the connection of the caller's transaction: the inbox would end that transaction, and what the caller has
 * written would be committed or rolled back with it. By names, as nothing here depends on a framework.
 */
final class OfCallers {
    private static final String OF_SPRING = "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy";

    private OfCallers() {}

    static void refuse(DataSource dataSource) {
        for (Class<?> type = dataSource.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(OF_SPRING)) {
                throw refusal();
            }
        }
    }

    /** Where another data source is around it. */
    static void refuse(Connection connection) throws SQLException {
        if (Proxy.isProxyClass(connection.getClass())
                && Proxy.getInvocationHandler(connection).getClass().getName().startsWith(OF_SPRING)) {
            // Which leaves the caller's transaction as it is.
            connection.close();
            throw refusal();
        }
    }

    private static ConfigurationException refusal() {
        return new ConfigurationException(
                "the data source is a TransactionAwareDataSourceProxy, which answers with the connection of the caller's transaction: the inbox"
                        + " would end that. Hand in its target (getTargetDataSource()); to work in the caller's transaction, name the transactions of the"
                        + " framework (JdbcStore.Builder.transactions)");
    }
}
