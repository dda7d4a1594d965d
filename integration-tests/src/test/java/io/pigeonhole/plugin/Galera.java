package io.pigeonhole.plugin;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.jdbc.MariaDb;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * MariaDB in a Galera cluster, in two things unlike one that stands alone: it has no named locks, so that whoever creates the
 * schema or its days has to be alone; and a node that has left the cluster answers, but with an error.
 */
final class Galera extends MariaDb {
    /** WSREP has not yet prepared node for application use. */
    private static final int NOT_IN_THE_CLUSTER = 1047;

    @Override
    public String name() {
        return "MariaDB Galera Cluster";
    }

    @Override
    public String known() {
        return "MariaDB Galera Cluster 10.6 and later";
    }

    /** The node is away, not the message bad: no attempt is counted, and the sources wait. */
    @Override
    public ErrorClass classOf(SQLException failure) {
        return failure.getErrorCode() == NOT_IN_THE_CLUSTER ? ErrorClass.UNAVAILABLE : super.classOf(failure);
    }

    @Override
    public void lockSchema(Connection connection) {}

    @Override
    public void unlockSchema(Connection connection) {}
}
