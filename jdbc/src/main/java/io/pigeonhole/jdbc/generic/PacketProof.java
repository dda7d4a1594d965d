package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.Connections;
import java.io.ByteArrayOutputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Decides whether a connection was lost because a message is too large for a statement. The server says nothing else in that
 * case, and a connection is lost for many reasons; so a message that may fit is too large only where, on connections of
 * their own, a small statement passes and one that carries its bytes does not, each time.
 */
final class PacketProof {
    private static final int TIMES = 3;

    private final ConnectionSource connections;
    private final Dialect dialect;

    PacketProof(ConnectionSource connections, Dialect dialect) {
        this.connections = connections;
        this.dialect = dialect;
    }

    /** The fewest bytes that a statement with the message has. */
    static long leastBytes(Message message) {
        long bytes = message.payload().length;
        for (Header header : message.headers().list()) {
            byte[] value = header.value();
            bytes += header.name().length() + (value == null ? 0 : value.length);
        }
        return bytes;
    }

    /** What it may have where a driver has to mask every byte. */
    static long mostBytes(Message message) {
        return 2 * leastBytes(message);
    }

    /** Whether a statement with the message can never pass. The connection that was lost must have been given back. */
    boolean isTooLarge(Message message, long limit) {
        if (leastBytes(message) > limit) {
            return true;
        }
        if (mostBytes(message) <= limit) {
            return false;
        }
        byte[] bytes = bytes(message);
        for (int i = 0; i < TIMES; i++) {
            if (!isLostWith(bytes)) {
                return false;
            }
        }
        return true;
    }

    private boolean isLostWith(byte[] bytes) {
        Connection connection;
        try {
            connection = Connections.open(connections);
        } catch (StoreUnavailableException e) {
            return false;
        }
        boolean lost = false;
        try {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
            lost = isLostOn(connection, bytes);
        } catch (SQLException e) {
            Connections.abort(connection);
        } finally {
            close(connection, lost);
        }
        return lost;
    }

    private boolean isLostOn(Connection connection, byte[] bytes) {
        try (PreparedStatement statement = connection.prepareStatement("SELECT LENGTH(?)")) {
            statement.setBytes(1, bytes);
            statement.execute();
            return false;
        } catch (SQLException e) {
            return dialect.isConnectionLost(e);
        }
    }

    private static void close(Connection connection, boolean lost) {
        if (lost) {
            Connections.abort(connection);
        }
        try {
            connection.close();
        } catch (SQLException e) {
            Connections.abort(connection);
        }
    }

    private static byte[] bytes(Message message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(message.payload());
        for (Header header : message.headers().list()) {
            byte[] value = header.value();
            bytes.writeBytes(value == null ? new byte[0] : value);
        }
        return bytes.toByteArray();
    }
}
