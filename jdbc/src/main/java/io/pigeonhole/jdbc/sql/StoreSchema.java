package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.StoreUnavailableException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the tables of a store are, found when it is created. Statements are written with plain names; a connection that is
 * bound to the schema puts it before each of them, and names it where a statement asks for the current one. So it does not
 * matter what a session says later: a search path, a {@code USE}, a pool whose connections are not all alike. Safe for use by
 * many threads.
 */
public final class StoreSchema {
    /**
     * Tables stand behind one of these words; indexes and columns do not, nor does what is qualified already: a schema may have a name that
     * begins like ours. A name of ours that a function gets as a string, as
     * {@code nextval} does, stands alone behind a parenthesis.
     */
    private static final Pattern NAMES = Pattern.compile(
            "(?<before>\\b(?:FROM|JOIN|INTO|UPDATE|TABLE|TABLES|ONLY|EXISTS|LIKE|OF|PARTITION|AS\\s+\\w+,)\\s+)"
                    + "(?<table>(?:in|out)box(?:_\\w+)?)\\b(?!\\s*\\.)"
                    + "|(?<function>\\w\\(')(?<relation>(?:in|out)box(?:_\\w+)?)(?=')"
                    + "|(?<current>\\bcurrent_schema\\(\\)|\\bDATABASE\\(\\)|\\bCURRENT_SCHEMA\\b(?!\\())");

    private static final int MOST_KNOWN = 1_000;

    private final String quoted;
    private final String literal;
    private final Map<String, String> known = new ConcurrentHashMap<>();
    private final Map<String, String> formats = new ConcurrentHashMap<>();

    /**
     * A schema.
     *
     * @param quoted its name as an identifier
     * @param literal its name as a string
     */
    public StoreSchema(String quoted, String literal) {
        this.quoted = quoted;
        this.literal = literal;
    }

    /**
     * A schema of a name.
     *
     * @param name as the database has it
     * @param quote around identifiers
     */
    public static StoreSchema named(String name, String quote) {
        return new StoreSchema(quote(name, quote), quote(name, "'"));
    }

    /** The current one of other databases; null where a database does not report it. */
    public static @Nullable StoreSchema current(ConnectionSource connections) {
        try (Connection connection = Connections.open(connections)) {
            String name = nameOf(connection);
            String quote = connection.getMetaData().getIdentifierQuoteString();
            if (name == null || quote == null || quote.isBlank()) {
                return null;
            }
            return named(name, quote);
        } catch (SQLException e) {
            throw new StoreUnavailableException(Refusals.describe("to find out its schema", e), e);
        }
    }

    /** What some drivers call a catalog is a schema to others. */
    private static @Nullable String nameOf(Connection connection) throws SQLException {
        String schema = connection.getSchema();
        return schema == null || schema.isEmpty() ? connection.getCatalog() : schema;
    }

    private static String quote(String name, String with) {
        return with + name.replace(with, with + with) + with;
    }

    /** Its name as an identifier, as a string. */
    public String identifier() {
        return quote(quoted, "'");
    }

    /** The text with the schema before each of our tables. */
    public String qualify(String sql) {
        String before = known.get(sql);
        if (before != null) {
            return before;
        }
        String text = qualify(sql, UnaryOperator.identity());
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.put(sql, text);
        return text;
    }

    private String qualify(String sql, UnaryOperator<String> escape) {
        Matcher matcher = NAMES.matcher(sql);
        return matcher.replaceAll(found -> Matcher.quoteReplacement(replacement(matcher, escape)));
    }

    private String replacement(Matcher found, UnaryOperator<String> escape) {
        if (found.group("current") != null) {
            return escape.apply(literal);
        }
        if (found.group("function") != null) {
            return found.group("function") + escape.apply(quoted.replace("'", "''")) + "." + found.group("relation");
        }
        return found.group("before") + escape.apply(quoted) + "." + found.group("table");
    }

    /** The connection, as our own statements use it. */
    public Connection bind(Connection connection) {
        return proxy(Connection.class, new Binding(connection, this));
    }

    /** The schema that a connection is bound to. */
    public static @Nullable StoreSchema of(Connection connection) {
        Binding binding = binding(connection);
        return binding == null ? null : binding.schema();
    }

    /** The connection as it was before it was bound, for what is not ours. */
    public static Connection unbound(Connection connection) {
        Binding binding = binding(connection);
        return binding == null ? connection : (Connection) binding.target();
    }

    /**
     * What {@link String#format} is to make a statement of, as the connection is to execute it. The few texts of this kind are
     * qualified once, and not each time with other values. A percent sign in the schema's name stays one.
     */
    public static String format(Connection connection, String sql) {
        StoreSchema schema = of(connection);
        return schema == null
                ? sql
                : schema.formats.computeIfAbsent(sql, text -> schema.qualify(text, name -> name.replace("%", "%%")));
    }

    private static @Nullable Binding binding(Connection connection) {
        return Proxy.isProxyClass(connection.getClass())
                        && Proxy.getInvocationHandler(connection) instanceof Binding binding
                ? binding
                : null;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(StoreSchema.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** A connection, or a statement that gets its text when it is executed. */
    private record Binding(Object target, StoreSchema schema) implements InvocationHandler {
        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            if (method.getName().equals("equals") && arguments != null) {
                return proxy == arguments[0];
            }
            method.trySetAccessible(); // As in GuardedConnection.
            try {
                Object result = method.invoke(target, qualified(method, arguments));
                return result instanceof Statement statement && method.getName().equals("createStatement")
                        ? proxy(Statement.class, new Binding(statement, schema))
                        : result;
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        }

        private @Nullable Object @Nullable [] qualified(Method method, @Nullable Object @Nullable [] arguments) {
            if (arguments == null || arguments.length == 0 || !(arguments[0] instanceof String sql)) {
                return arguments;
            }
            String name = method.getName();
            if (!name.startsWith("prepare") && !name.startsWith("execute") && !name.equals("addBatch")) {
                return arguments;
            }
            @Nullable Object[] changed = arguments.clone();
            changed[0] = schema.qualify(sql);
            return changed;
        }
    }
}
