package io.pigeonhole.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connection that handlers get: everything works, except what would take the transaction out of the engine's hands. A
 * commit in the middle would keep the claims of a batch and lose the effects of the messages behind.
 */
final class GuardedConnection implements InvocationHandler {
    private static final Map<String, String> REFUSED = Map.of(
            "commit", "the engine commits, together with the claim of the message",
            "rollback", "throw an exception to roll back, or roll back to a savepoint of your own",
            "close", "the engine gives the connection back after the commit; do not put it in a try-with-resources",
            "setAutoCommit", "the handler runs in the transaction that claims the message",
            "setTransactionIsolation", "the engine's transactions are read committed",
            "setReadOnly", "the transaction has written already: it claims the message",
            "abort", "throw an exception to give up on the message",
            "unwrap", "the driver's own connection could end the transaction");

    private final Connection connection;
    private final Owner owner;

    private GuardedConnection(Connection connection, Owner owner) {
        this.connection = connection;
        this.owner = owner;
    }

    static Connection around(Connection connection, Owner owner) {
        return (Connection) proxy(Connection.class, new GuardedConnection(connection, owner));
    }

    /** Whose transaction it is. */
    interface Owner {
        /** Whether the transaction still goes on. */
        boolean isOpen();

        /** Refuses SQL that ends the transaction. */
        void refuse(String sql);

        /** A handler is about to call something. */
        void calling();

        /** A handler's call came back, with the error or without one. */
        void called(@Nullable Throwable failure);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        String why = REFUSED.get(name);
        boolean toSavepoint = name.equals("rollback") && arguments != null && arguments[0] instanceof Savepoint;
        if (why != null && !toSavepoint) {
            throw new IllegalStateException("a handler may not call " + name + " on its connection: " + why);
        }
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, name, arguments, connection);
        }
        if (name.equals("isWrapperFor")) {
            return false;
        }
        if (!owner.isOpen()) {
            throw new IllegalStateException("the transaction of this connection has ended; it is of no use any more");
        }
        if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql && isStatement(name)) {
            owner.refuse(sql);
        }
        return guard((Connection) proxy, owner, call(owner, connection, method, arguments));
    }

    private static @Nullable Object guard(Connection proxy, Owner owner, @Nullable Object result) {
        if (result instanceof CallableStatement) {
            return proxy(CallableStatement.class, new GuardedStatement(proxy, owner, result));
        }
        if (result instanceof PreparedStatement) {
            return proxy(PreparedStatement.class, new GuardedStatement(proxy, owner, result));
        }
        return result instanceof Statement
                ? proxy(Statement.class, new GuardedStatement(proxy, owner, result))
                : result;
    }

    private static boolean isStatement(String name) {
        return name.startsWith("prepare") || name.startsWith("execute") || name.equals("addBatch");
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static @Nullable Object call(
            Owner owner, Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        owner.calling();
        try {
            Object result = method.invoke(target, arguments);
            owner.called(null);
            return result;
        } catch (InvocationTargetException e) {
            Throwable failure = e.getCause() == null ? e : e.getCause();
            owner.called(failure);
            throw failure;
        }
    }

    private static Object ofObject(Object proxy, String name, @Nullable Object @Nullable [] arguments, Object target) {
        return switch (name) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "guarded " + target;
        };
    }

    /** A statement whose connection is the guarded one again. */
    private record GuardedStatement(Connection guarded, Owner owner, Object statement) implements InvocationHandler {
        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            String name = method.getName();
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(proxy, name, arguments, statement);
            }
            if (name.equals("getConnection")) {
                return guarded;
            }
            if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql && isStatement(name)) {
                owner.refuse(sql);
            }
            return call(owner, statement, method, arguments);
        }
    }
}
