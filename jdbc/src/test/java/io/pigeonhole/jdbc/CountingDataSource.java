package io.pigeonhole.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections that note what they are told to execute; auto-commit, COMMIT and ROLLBACK are a statement each. */
final class CountingDataSource {
    private final List<String> statements = new CopyOnWriteArrayList<>();
    private final List<String> queries = new CopyOnWriteArrayList<>();
    private final DataSource target;

    CountingDataSource(DataSource target) {
        this.target = target;
    }

    DataSource dataSource() {
        return around(DataSource.class, target, "");
    }

    /** In their order. */
    List<String> statements() {
        return List.copyOf(statements);
    }

    /** Those that were executed as queries. */
    List<String> queries() {
        return List.copyOf(queries);
    }

    void clear() {
        statements.clear();
        queries.clear();
    }

    /** Or else nothing is sent for a rollback. Where several connections are counted, it may be of another. */
    private boolean isOpen() {
        List<String> all = List.copyOf(statements);
        return !all.isEmpty() && !List.of("commit", "rollback", "setAutoCommit").contains(all.get(all.size() - 1));
    }

    private <T> T around(Class<T> type, T wrapped, String prepared) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            String name = method.getName();
            String text =
                    arguments != null && arguments.length > 0 && arguments[0] instanceof String sql ? sql : prepared;
            if (name.startsWith("execute")) {
                statements.add(text);
                if (name.equals("executeQuery")) {
                    queries.add(text);
                }
            } else if (List.of("commit", "setAutoCommit").contains(name) || (name.equals("rollback") && isOpen())) {
                statements.add(name);
            }
            try {
                return wrap(method.invoke(wrapped, arguments), name.startsWith("prepare") ? text : "");
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object wrap(@Nullable Object answer, String text) {
        if (answer instanceof Connection connection) {
            return around(Connection.class, connection, "");
        }
        if (answer instanceof PreparedStatement statement) {
            return around(PreparedStatement.class, statement, text);
        }
        return answer instanceof Statement statement ? around(Statement.class, statement, "") : answer;
    }
}
