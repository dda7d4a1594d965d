package io.pigeonhole.crash;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.jdbc.JdbcStore;

/** Runs over a history, or goes on with it. */
final class ReplayingProcess {
    private ReplayingProcess() {}

    /** Arguments: JDBC URL, consumer, run. */
    public static void main(String[] arguments) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setMaximumPoolSize(2);
        String run = arguments[2];
        try (HikariDataSource pool = new HikariDataSource(config)) {
            System.out.println(
                    Replay.builder(run, arguments[1], JdbcStore.create(pool), new Author("test", "to be killed"))
                            .into(
                                    PayloadDecoder.text(),
                                    (number, context) -> context.deferExpecting(
                                            1, "INSERT INTO effect (run, message) VALUES (?, ?)", run, number))
                            .batch(200)
                            .build()
                            .run());
        }
    }
}
