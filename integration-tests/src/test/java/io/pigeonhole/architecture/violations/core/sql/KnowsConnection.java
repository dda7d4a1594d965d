package io.pigeonhole.architecture.violations.core.sql;

import java.sql.Connection;
import java.sql.SQLException;

public final class KnowsConnection {
    static boolean closed(Connection connection) throws SQLException {
        return connection.isClosed();
    }
}
