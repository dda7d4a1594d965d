package io.pigeonhole.jdbc;

import java.time.Duration;
import java.util.stream.Stream;

/** One server of each product, for what concerns handlers' connections on all of them. */
final class AnyDatabase {
    private AnyDatabase() {}

    /** For {@code @MethodSource}. */
    static Stream<DatabaseServer> all() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(each -> each);
    }

    /**
     * How often to ask for those who wait: MariaDB answers from what it has gathered, and gathers anew only where nobody has
     * asked for 100 ms.
     */
    static final Duration INTERVAL = Duration.ofMillis(150);

    /** A query that counts the sessions which wait for a lock; to be asked at the {@link #INTERVAL}. */
    static String waiting(DatabaseServer server) {
        if (server instanceof PostgresServer) {
            return "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        }
        return server instanceof MariaDbServer
                ? "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                : "SELECT COUNT(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL";
    }
}
