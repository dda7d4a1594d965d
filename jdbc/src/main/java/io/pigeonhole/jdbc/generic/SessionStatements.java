package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.SessionStatement;
import io.pigeonhole.jdbc.sql.StoreSchema;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Executes the {@linkplain SessionStatement statements that a session parses once}. A session that is new, or was reset by a pool, does not
 * know the name, and executes nothing by it: then it gets the text, and is asked again. Where a session does not understand the text or
 * may keep none, what it is for is done in statements of its own from then on. Safe for use by many threads.
 */
final class SessionStatements {
    private final Dialect dialect;
    private final Map<String, Prepared> known = new ConcurrentHashMap<>();
    private volatile boolean refused;

    SessionStatements(Dialect dialect) {
        this.dialect = dialect;
    }

    /** Whether a session has refused one. */
    boolean areRefused() {
        return refused;
    }

    /**
     * Executes one.
     *
     * @param statement of the bare connection, whose tables have their schema already
     * @param values expressions with commas between them; empty for none
     * @return false where the session refused it, of which then nothing was executed
     */
    boolean execute(Connection connection, Statement statement, SessionStatement what, String values)
            throws SQLException {
        Prepared prepared = known.computeIfAbsent(what.text(), text -> Prepared.of(connection, text));
        if (!prepared.isLiteral()) {
            refused = true;
            return false;
        }
        String execution = what.setting() + prepared.execution(values);
        try {
            statement.execute(execution);
            return true;
        } catch (SQLException e) {
            if (!dialect.isNotPrepared(e)) {
                throw e;
            }
        }
        try {
            statement.execute(prepared.preparation());
        } catch (SQLException e) {
            if (!dialect.refusesPreparation(e)) {
                throw e;
            }
            refused = true;
            return false;
        }
        statement.execute(execution);
        return true;
    }

    /** The name follows from the text, so that stores of several schemas or versions can share a session. */
    private record Prepared(String name, String text) {
        static Prepared of(Connection connection, String text) {
            StoreSchema schema = StoreSchema.of(connection);
            String qualified = schema == null ? text : schema.qualify(text);
            return new Prepared("pigeonhole_" + digest(qualified), qualified);
        }

        private static String digest(String text) {
            try {
                byte[] all = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
                return Long.toHexString(ByteBuffer.wrap(all).getLong());
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError("every JDK has it", e);
            }
        }

        /** What a backslash in a string stands for depends on the session. A schema may have one in its name. */
        boolean isLiteral() {
            return text.indexOf('\\') < 0;
        }

        String preparation() {
            return "PREPARE " + name + " FROM '" + text.replace("'", "''") + "'";
        }

        String execution(String values) {
            return "EXECUTE " + name + (values.isEmpty() ? "" : " USING " + values);
        }
    }
}
