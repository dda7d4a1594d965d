package io.pigeonhole.jdbc.sql;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads the row that an answer is at.
 *
 * @param <T> what it makes of it
 */
@FunctionalInterface
public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
}
