package io.pigeonhole.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A clock of the tests' own where nothing can stand before the server's: wherever the text of a statement names the clock,
 * its connections send the clock and a shift. Nothing is changed while the shift is zero.
 */
final class ShiftedClock implements DatabaseServer.MovableClock {
    private final DataSource target;
    private final String clock;
    private final String shifted;
    private final AtomicLong microseconds = new AtomicLong();

    /**
     * A clock that goes right.
     *
     * @param shifted the same with {@code %d} microseconds added
     */
    ShiftedClock(DataSource target, String clock, String shifted) {
        this.target = target;
        this.clock = clock;
        this.shifted = shifted;
    }

    @Override
    public DataSource dataSource() {
        return around(DataSource.class, target);
    }

    @Override
    public void advance(Duration duration) {
        microseconds.addAndGet(duration.toNanos() / 1_000);
    }

    @Override
    public void reset() {
        microseconds.set(0);
    }

    private <T> T around(Class<T> type, T wrapped) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            try {
                return aroundAnswer(method.invoke(wrapped, shift(method, arguments)));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** A prepared statement has its text already. */
    private @Nullable Object aroundAnswer(@Nullable Object answer) {
        if (answer instanceof Connection connection) {
            return around(Connection.class, connection);
        }
        return answer instanceof Statement statement && !(statement instanceof PreparedStatement)
                ? around(Statement.class, statement)
                : answer;
    }

    private Object @Nullable [] shift(Method method, Object @Nullable [] arguments) {
        long by = microseconds.get();
        if (by == 0
                || arguments == null
                || arguments.length == 0
                || !(arguments[0] instanceof String sql)
                || !method.getName().matches("prepare.*|execute.*|addBatch")) {
            return arguments;
        }
        Object[] changed = arguments.clone();
        changed[0] = sql.replace(clock, shifted.formatted(by));
        return changed;
    }
}
