package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** Where connections come from. */
@FunctionalInterface
interface ConnectionSource {
    Connection open() throws SQLException;
}
