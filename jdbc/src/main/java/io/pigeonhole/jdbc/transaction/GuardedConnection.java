package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.jdbc.dialect.SavepointStep;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The connection that handlers get: everything works, except what would take the transaction out of the engine's hands. A
 * commit in the middle would keep the claims of a batch and lose the effects of the messages behind. What it gives out is
 * guarded in the same way, so that nothing leads to the driver's own connection, and everything ends with the
 * {@link HandlerCall}. Libraries close a connection when they are done, and say that they want no auto-commit: that does
 * nothing.
 */
public final class GuardedConnection implements InvocationHandler {
    private static final String OF_THE_POOL = "the next transaction on this connection would find it changed";

    private static final String WITHOUT_TRANSACTION =
            "; have the library work without a transaction of its own (docs/libraries.md)";

    private static final String COMMIT =
            "the engine commits, together with the claim of the message, once the handler has returned"
                    + WITHOUT_TRANSACTION;

    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("commit", COMMIT),
            Map.entry("setAutoCommit", COMMIT),
            Map.entry(
                    "rollback",
                    "throw an exception to roll back, or roll back to a savepoint of your own; this message fails, also where"
                            + " the handler hides this exception"
                            + WITHOUT_TRANSACTION),
            Map.entry("setTransactionIsolation", "the engine's transactions are read committed"),
            Map.entry("setReadOnly", "the transaction has written already: it claims the message"),
            Map.entry("setHoldability", OF_THE_POOL + "; say it when you create a statement"),
            Map.entry("setNetworkTimeout", OF_THE_POOL + "; use Statement.setQueryTimeout"),
            Map.entry("setClientInfo", OF_THE_POOL + "; execute SET LOCAL application_name"),
            Map.entry("setTypeMap", OF_THE_POOL + "; hand the map to getObject"),
            Map.entry("beginRequest", "that is for pools"),
            Map.entry("endRequest", "that is for pools"),
            Map.entry("setShardingKey", OF_THE_POOL),
            Map.entry("setShardingKeyIfValid", OF_THE_POOL),
            Map.entry("abort", "throw an exception to give up on the message"));

    /** What libraries call before and behind their work, each with the argument that changes nothing. */
    private static final Map<String, Object> CHANGING_NOTHING = Map.of(
            "setAutoCommit", false,
            "setReadOnly", false,
            "setTransactionIsolation", Connection.TRANSACTION_READ_COMMITTED);

    /** What a driver gives out, the more special types first. */
    private static final List<Class<?>> GUARDED = List.of(
            CallableStatement.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            ResultSetMetaData.class,
            ParameterMetaData.class,
            DatabaseMetaData.class,
            Savepoint.class,
            Array.class,
            NClob.class,
            Clob.class,
            Blob.class,
            SQLXML.class,
            Ref.class);

    private final Object target;
    private final HandlerCall call;
    private final @Nullable Object madeBy;
    private final GuardedSavepoints savepoints;

    private GuardedConnection(Object target, HandlerCall call, @Nullable Object madeBy) {
        this.target = target;
        this.call = call;
        this.madeBy = madeBy;
        this.savepoints = new GuardedSavepoints(call);
    }

    static Connection around(Connection connection, HandlerCall call) {
        return (Connection) proxy(Connection.class, new GuardedConnection(connection, call, null));
    }

    /** The handler that a connection is of; null where it is none that a handler got. */
    static @Nullable HandlerCall callOf(Connection connection) {
        return Proxy.isProxyClass(connection.getClass())
                        && Proxy.getInvocationHandler(connection) instanceof GuardedConnection guard
                ? guard.call
                : null;
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    /** What is guarded. */
    public Object target() {
        return target;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, name, arguments);
        }
        if (name.equals("unwrap")) {
            throw refusal(name, whyNotUnwrapped());
        }
        if (name.equals("isWrapperFor")) {
            return false;
        }
        if (target instanceof Connection) {
            if (name.equals("close")) {
                return null;
            }
            if (name.equals("isClosed") && call.hasEnded()) {
                return true;
            }
            if (changesNothing(name, arguments)) {
                call.requireOpen();
                return null;
            }
            refuseCall(name, arguments);
        }
        if (name.equals("cancel") && target instanceof Statement) {
            // Not in turn: it is for a statement that another thread is executing.
            call.requireOpen();
            return invoke(method, arguments);
        }
        call.enter();
        try {
            return arguments != null && setsParameter(name, arguments)
                    ? invoke(method, unguarded(arguments, call))
                    : inTurn(proxy, method, arguments);
        } finally {
            call.leave();
        }
    }

    /** The most frequent call by far: it sends nothing, and has nothing to do with SQL, savepoints or the session. */
    private boolean setsParameter(String name, @Nullable Object[] arguments) {
        return target instanceof PreparedStatement
                && arguments.length > 1
                && arguments[0] instanceof Integer
                && name.startsWith("set");
    }

    private static boolean changesNothing(String name, @Nullable Object @Nullable [] arguments) {
        return arguments != null && arguments.length == 1 && Objects.equals(CHANGING_NOTHING.get(name), arguments[0]);
    }

    private void refuseCall(String name, @Nullable Object @Nullable [] arguments) {
        if (name.equals("setSavepoint")
                && arguments != null
                && String.valueOf(arguments[0]).toLowerCase(Locale.ROOT).startsWith("pigeonhole")) {
            throw refusal(name, "savepoints named pigeonhole are the engine's; choose another name");
        }
        String why = REFUSED.get(name);
        boolean toSavepoint = name.equals("rollback") && arguments != null && arguments[0] instanceof Savepoint;
        if (why != null && !toSavepoint) {
            IllegalStateException refusal = refusal(name, why);
            switch (name) {
                case "commit" -> call.refusedCommit(refusal);
                case "rollback", "abort" -> call.refusedRollback(refusal);
                default -> {}
            }
            throw refusal;
        }
    }

    private String whyNotUnwrapped() {
        String why = "the driver's own objects could end the transaction";
        return target instanceof Connection
                ? why + "; instead of COPY, insert from arrays: INSERT … SELECT … FROM unnest(?, ?) (docs/libraries.md)"
                : why;
    }

    private static IllegalStateException refusal(String name, String why) {
        return new IllegalStateException("a handler may not call " + name + " on its connection: " + why);
    }

    private @Nullable Object inTurn(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        if (name.equals("getStatement") && madeBy instanceof Statement statement) {
            return statement;
        }
        HandlerTransaction transaction = call.transaction();
        if (isStatement(name) && arguments != null && arguments.length > 0 && arguments[0] instanceof String sql) {
            refuse(sql);
        }
        @Nullable Object @Nullable [] own = arguments == null ? null : own(name, arguments);
        transaction.calling();
        if (target instanceof Connection && (name.equals("setSchema") || name.equals("setCatalog"))) {
            transaction.sessionChanging();
        }
        if (target instanceof Statement && name.equals("setQueryTimeout")) {
            transaction.queryTimeoutChanging();
        }
        List<SavepointStep> steps = steps(name, own);
        List<String> before = call.savepoints().now();
        if (target instanceof Connection && name.equals("setSavepoint")) {
            transaction.beforeSavepoints(GuardedSavepoints.NEW);
        } else {
            take(steps);
            transaction.beforeSavepoints(steps);
        }
        if (target instanceof Statement statement) {
            call.running(statement);
            noteBatch(statement, name);
        }
        try {
            Object result = invoke(method, own);
            noteExecutedBatch(name);
            transaction.called(null);
            transaction.afterSavepoints(steps);
            if (target instanceof Connection && result instanceof Savepoint set) {
                call.savepoints().take(List.of(transaction.control().savepoint(SavepointStep.Kind.SET, set)));
            }
            return guarded(proxy, result);
        } catch (Throwable e) {
            call.savepoints().failed(before);
            if (SavepointStep.goBack(steps) || goesBackLater(name, own)) {
                transaction.failedRollback(e);
            }
            transaction.called(e);
            transaction.metByHandler(e);
            throw transaction.forHandler(e);
        } finally {
            call.running(null);
        }
    }

    private void noteBatch(Statement statement, String name) {
        switch (name) {
            case "addBatch" -> call.collecting(statement);
            case "close" -> call.clearBatch(statement);
            default -> {}
        }
    }

    private void noteExecutedBatch(String name) {
        if (target instanceof Statement statement
                && (name.equals("clearBatch") || (name.startsWith("execute") && name.endsWith("Batch")))) {
            call.collected(statement);
        }
    }

    /** Who hides the refusal of a rollback takes for rolled back what would be committed. */
    private void refuse(String sql) throws SQLException {
        HandlerTransaction transaction = call.transaction();
        try {
            transaction.refuse(sql);
        } catch (IllegalStateException e) {
            if (transaction.control().mayRollBack(sql)) {
                call.refusedRollback(e);
            }
            throw e;
        }
    }

    /** The same for a savepoint of a handler that has ended. */
    private @Nullable Object[] own(String name, @Nullable Object[] arguments) {
        try {
            return unguarded(arguments, call);
        } catch (IllegalStateException e) {
            if (name.equals("rollback")) {
                call.refusedRollback(e);
            }
            throw e;
        }
    }

    /** The same for what is prepared, and for a savepoint that the driver does not know any more. */
    private List<SavepointStep> steps(String name, @Nullable Object @Nullable [] arguments) throws SQLException {
        try {
            return savepoints.of(name, arguments);
        } catch (IllegalStateException e) {
            call.refusedRollback(e);
            throw e;
        } catch (SQLException e) {
            if (name.equals("rollback")) {
                call.transaction().failedRollback(e);
            }
            throw e;
        }
    }

    /** Whether SQL that is prepared or collected only goes back to a savepoint. */
    private boolean goesBackLater(String name, @Nullable Object @Nullable [] arguments) {
        return isStatement(name)
                && arguments != null
                && arguments.length > 0
                && arguments[0] instanceof String sql
                && call.transaction().control().goesBack(sql);
    }

    /** The same for a rollback to a savepoint that is not the handler's. */
    private void take(List<SavepointStep> steps) {
        try {
            call.savepoints().take(steps);
        } catch (IllegalStateException e) {
            call.refusedRollback(e);
            throw e;
        }
    }

    private @Nullable Object invoke(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        // Else the JDK looks each time whether this class may call it, where another class called it last.
        method.trySetAccessible();
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static boolean isStatement(String name) {
        return name.startsWith("prepare") || name.startsWith("execute") || name.equals("addBatch");
    }

    private @Nullable Object guarded(Object proxy, @Nullable Object result) {
        if (result == null || result instanceof String || result instanceof Number) {
            return result;
        }
        if (result instanceof Connection driver) {
            return call.connection(driver);
        }
        for (Class<?> type : GUARDED) {
            if (type.isInstance(result)) {
                GuardedConnection guard = new GuardedConnection(result, call, proxy);
                guard.savepoints.prepared(savepoints);
                return proxy(type, guard);
            }
        }
        if (result instanceof InputStream stream) {
            return new GuardedStreams.In(stream, call);
        }
        if (result instanceof OutputStream stream) {
            return new GuardedStreams.Out(stream, call);
        }
        if (result instanceof Reader reader) {
            return new GuardedStreams.Text(reader, call);
        }
        return result instanceof Writer writer ? new GuardedStreams.TextOut(writer, call) : result;
    }

    /** Drivers know their own objects only. */
    static @Nullable Object[] unguarded(@Nullable Object[] arguments, HandlerCall call) {
        @Nullable Object[] own = arguments;
        for (int i = 0; i < arguments.length; i++) {
            Object argument = unguarded(arguments[i], call);
            if (argument != arguments[i]) {
                own = own == arguments ? arguments.clone() : own;
                own[i] = argument;
            }
        }
        return own;
    }

    /** The same for one. */
    static @Nullable Object unguarded(@Nullable Object argument, HandlerCall call) {
        if (!(argument instanceof Proxy)
                || !Proxy.isProxyClass(argument.getClass())
                || !(Proxy.getInvocationHandler(argument) instanceof GuardedConnection guard)) {
            return argument;
        }
        if (guard.call != call) {
            throw new IllegalStateException("this belongs to a handler that has ended: " + argument);
        }
        return guard.target;
    }

    private Object ofObject(Object proxy, String name, @Nullable Object @Nullable [] arguments) {
        return switch (name) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "guarded " + target;
        };
    }
}
