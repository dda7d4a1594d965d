package io.pigeonhole.jdbc;

import io.pigeonhole.embedded.EmbeddedMariaDb;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The MariaDB inside the JVM always, and in a full run that of this machine where it answers. Where the environment says {@code CI=true}
 * it has to answer. A MySQL is tested where {@code -Dpigeonhole.mysql.url} names one, such as
 * {@code jdbc:mariadb://127.0.0.1:3307/?user=root&password=…}; nobody does so regularly.
 */
public final class MariaDbServers {
    private static final String MACHINES_OWN = "jdbc:mariadb://127.0.0.1:3306/";

    private MariaDbServers() {}

    /** For {@code @MethodSource}. */
    public static Stream<MariaDbServer> all() {
        return DatabaseServer.isFull()
                ? Stream.of(embedded(), MachinesOwn.SERVER, MySql.SERVER).filter(Objects::nonNull)
                : Stream.of(embedded(), MySql.SERVER).filter(Objects::nonNull);
    }

    public static MariaDbServer embedded() {
        return Embedded.SERVER;
    }

    /** Started when the first test asks, stopped when the JVM ends. */
    private static final class Embedded {
        static final MariaDbServer SERVER = start();

        private static MariaDbServer start() {
            EmbeddedMariaDb mariaDb = EmbeddedMariaDb.startWithoutFlush(
                    Path.of(System.getProperty("pigeonhole.target", "target"), "mariadb"));
            return of("MariaDB embedded", mariaDb.url(""));
        }
    }

    /** Its databases are dropped when the JVM ends. */
    private static final class MachinesOwn {
        static final @Nullable MariaDbServer SERVER = find();

        private static @Nullable MariaDbServer find() {
            MariaDbServer server =
                    of("MariaDB of this machine", MACHINES_OWN + "?user=root&sslMode=disable&connectTimeout=2000");
            try {
                server.dropAll();
            } catch (SQLException e) {
                if (DatabaseServer.isCi()) {
                    throw new IllegalStateException("the MariaDB of this machine does not answer, but CI needs it", e);
                }
                return null;
            }
            return dropped(server);
        }
    }

    /** Whoever names one means it: it has to answer. */
    private static final class MySql {
        static final @Nullable MariaDbServer SERVER = find();

        private static @Nullable MariaDbServer find() {
            String url = System.getProperty("pigeonhole.mysql.url");
            return url == null || url.isEmpty() ? null : dropped(of("MySQL", url));
        }
    }

    private static MariaDbServer of(String name, String url) {
        int parameters = url.indexOf('?');
        return new MariaDbServer(name, url.substring(0, parameters), url.substring(parameters));
    }

    private static MariaDbServer dropped(MariaDbServer server) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                server.dropAll();
            } catch (SQLException e) {
                throw new IllegalStateException("databases " + MariaDbServer.PREFIX + "… stay behind", e);
            }
        }));
        return server;
    }
}
