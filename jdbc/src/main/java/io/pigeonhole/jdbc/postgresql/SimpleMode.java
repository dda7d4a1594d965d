package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.ConfigurationException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A driver that sends each statement by itself, with the values in its text: where one is cancelled, even the BEGIN that the driver sends in
 * front, those behind it are executed all the same.
 */
final class SimpleMode {
    private static final String DRIVERS_OWN = "org.postgresql.PGConnection";

    /** PostgreSQL's driver says it, in a method of its own; another driver is asked by a statement, where the store is made. */
    private static final ClassValue<Optional<Method>> MODE = new ClassValue<>() {
        @Override
        protected Optional<Method> computeValue(Class<?> connection) {
            return modeOf(connection);
        }
    };

    /** The type to unwrap a connection of this class to: a pool's answers itself to who asks for a connection. */
    private static final ClassValue<Optional<Class<?>>> DRIVERS = new ClassValue<>() {
        @Override
        protected Optional<Class<?>> computeValue(Class<?> connection) {
            return Stream.of(
                            connection.getClassLoader(),
                            Thread.currentThread().getContextClassLoader(),
                            SimpleMode.class.getClassLoader())
                    .map(SimpleMode::drivers)
                    .flatMap(Optional::stream)
                    .findFirst();
        }
    };

    private SimpleMode() {}

    private static Optional<Method> modeOf(Class<?> connection) {
        try {
            return Optional.of(connection.getMethod("getPreferQueryMode"));
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        }
    }

    private static Optional<Class<?>> drivers(@Nullable ClassLoader loader) {
        try {
            return Optional.of(Class.forName(DRIVERS_OWN, false, loader));
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
    }

    /** The driver's own; null where nobody may have it, as a handler's is the store's own, or it is none of PostgreSQL's driver. */
    private static @Nullable Object unwrapped(Connection connection) {
        try {
            Connection own = connection.unwrap(Connection.class);
            if (MODE.get(own.getClass()).isPresent()) {
                return own;
            }
            Class<?> drivers = DRIVERS.get(own.getClass()).orElse(null);
            return drivers != null && own.isWrapperFor(drivers) ? own.unwrap(drivers) : null;
        } catch (SQLException | IllegalStateException e) {
            return null;
        }
    }

    static ConfigurationException refusal(String which) {
        return new ConfigurationException(which
                + " has values written into the text of statements, as with preferQueryMode=simple, and each statement sent by"
                + " itself: where the server cancels the BEGIN of a transaction, what is behind it would be committed alone,"
                + " and messages would be lost. Take preferQueryMode=simple out of the URL; for a pooler in transaction mode"
                + " prepareThreshold=0 is enough");
    }

    /** For connections of a caller or of a framework, which need not be made as those of the store's data source are. */
    static void refuse(Connection connection) throws SQLException {
        Object own = unwrapped(connection);
        Method mode = own == null ? null : MODE.get(own.getClass()).orElse(null);
        if (mode == null) {
            return;
        }
        try {
            if (String.valueOf(mode.invoke(own)).equals("SIMPLE")) {
                throw refusal("this connection");
            }
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new SQLException("the driver does not say how it sends statements", e);
        }
    }
}
