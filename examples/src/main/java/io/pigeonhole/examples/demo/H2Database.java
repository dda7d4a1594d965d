package io.pigeonhole.examples.demo;

import java.nio.file.Path;
import java.sql.SQLException;
import org.h2.tools.Server;

/** H2 as a server in this JVM, with a database in a file; durable without a delay of its writes only. */
record H2Database(Server server) implements Database {
    static H2Database start(Path directory) {
        try {
            return new H2Database(
                    Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", directory.toString())
                            .start());
        } catch (SQLException e) {
            throw new IllegalStateException("H2 did not start in " + directory, e);
        }
    }

    @Override
    public String url() {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/./bank;WRITE_DELAY=0";
    }

    @Override
    public String description() {
        return "H2 (a file, WRITE_DELAY=0)";
    }

    @Override
    public void close() {
        server.stop();
    }
}
