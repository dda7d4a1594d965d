package io.pigeonhole.retention;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections with which the process dies at a statement: before it is sent, or after it was executed. */
final class HaltingDataSource {
    static final int HALTED = 77;

    private final String part;
    private final boolean after;

    private HaltingDataSource(String part, boolean after) {
        this.part = part;
        this.after = after;
    }

    static DataSource around(DataSource target, String part, boolean after) {
        return new HaltingDataSource(part, after).around(DataSource.class, target, null);
    }

    private <T> T around(Class<T> type, T wrapped, @Nullable String prepared) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            String first =
                    arguments != null && arguments.length > 0 && arguments[0] instanceof String text ? text : null;
            boolean executes = method.getName().startsWith("execute");
            String sql = executes ? (first != null ? first : prepared) : null;
            // Without the schema, which each test has for itself.
            boolean deadly = sql != null && sql.replaceAll("\"[^\"]+\"\\.", "").contains(part);
            if (deadly && !after) {
                Runtime.getRuntime().halt(HALTED);
            }
            try {
                Object answer = method.invoke(wrapped, arguments);
                if (deadly) {
                    Runtime.getRuntime().halt(HALTED);
                }
                return wrap(answer, first);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object wrap(@Nullable Object answer, @Nullable String sql) {
        if (answer instanceof Connection connection) {
            return around(Connection.class, connection, null);
        }
        if (answer instanceof PreparedStatement statement) {
            return around(PreparedStatement.class, statement, sql);
        }
        return answer instanceof Statement statement ? around(Statement.class, statement, null) : answer;
    }
}
