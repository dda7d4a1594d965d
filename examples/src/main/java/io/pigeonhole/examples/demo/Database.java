package io.pigeonhole.examples.demo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** The database of one run. */
interface Database extends AutoCloseable {
    /** With user and password; for the consumer's process as well. */
    String url();

    /** What it says about itself and its durability. */
    String description();

    /** A new connection. */
    default Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    @Override
    void close();
}
