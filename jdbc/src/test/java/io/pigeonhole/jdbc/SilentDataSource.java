package io.pigeonhole.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections on which one statement does nothing and says that it met no row, as MariaDB does with one that is cancelled.
 */
final class SilentDataSource {
    private final Pattern silent;
    private final AtomicBoolean done = new AtomicBoolean();

    private SilentDataSource(Pattern silent) {
        this.silent = silent;
    }

    /** A deletion from a table. */
    static DataSource onceDeleting(String table, DataSource target) {
        return once("DELETE FROM", table, "", target);
    }

    /** A change of a table that begins with a certain text. */
    static DataSource onceChanging(String table, String change, DataSource target) {
        return once("UPDATE", table, "\\s+SET\\s+" + change, target);
    }

    /** With its schema, in quotation marks of one kind or another. */
    private static DataSource once(String verb, String table, String rest, DataSource target) {
        Pattern silent = Pattern.compile(verb + " (\\S+\\.)?\\W?" + table + "\\b" + rest);
        return new SilentDataSource(silent).around(DataSource.class, target, null);
    }

    private <T> T around(Class<T> type, T wrapped, @Nullable AtomicInteger batch) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            String name = method.getName();
            if (batch != null) {
                if (name.equals("addBatch")) {
                    batch.incrementAndGet();
                } else if (name.equals("executeBatch") && done.compareAndSet(false, true)) {
                    return new int[batch.get()];
                } else if (name.equals("executeUpdate") && done.compareAndSet(false, true)) {
                    return 0;
                }
            }
            try {
                return wrap(method.invoke(wrapped, arguments), arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object wrap(@Nullable Object answer, Object @Nullable [] arguments) {
        if (answer instanceof Connection connection) {
            return around(Connection.class, connection, null);
        }
        return answer instanceof PreparedStatement statement
                        && arguments != null
                        && silent.matcher(String.valueOf(arguments[0])).find()
                ? around(PreparedStatement.class, statement, new AtomicInteger())
                : answer;
    }
}
