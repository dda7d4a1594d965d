package io.pigeonhole.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections that do something else once, before a statement with a certain text is prepared for the nth time: what another
 * program might do at just that moment.
 */
final class InterposedDataSource {
    private final String part;
    private final AtomicInteger left;
    private final Runnable action;

    private InterposedDataSource(String part, int nth, Runnable action) {
        this.part = part;
        this.left = new AtomicInteger(nth);
        this.action = action;
    }

    static DataSource before(int nth, String part, DataSource target, Runnable action) {
        return new InterposedDataSource(part, nth, action).around(DataSource.class, target);
    }

    private <T> T around(Class<T> type, T wrapped) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getName().equals("prepareStatement")
                    && String.valueOf(arguments[0]).contains(part)
                    && left.decrementAndGet() == 0) {
                action.run();
            }
            try {
                return wrap(method.invoke(wrapped, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object wrap(@Nullable Object answer) {
        return answer instanceof Connection connection ? around(Connection.class, connection) : answer;
    }
}
