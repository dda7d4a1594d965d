package io.pigeonhole.engine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of {@code docs/testing.md} on a database: what stands between the marks is compared with it. */
class HandlerOnSqlIT {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedPostgres server;

    @SuppressWarnings("NullAway.Init")
    private static DataSource dataSource;

    @BeforeAll
    static void startPostgres() throws SQLException {
        server = EmbeddedPostgres.startWithoutFlush(directory.resolve("postgres"));
        dataSource = server.dataSource("postgres");
        Schema.apply(dataSource);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE shipment (message text NOT NULL, item text NOT NULL)");
        }
    }

    @AfterAll
    static void stopPostgres() {
        server.close();
    }

    private static Message message(String id, String payload) {
        return Message.builder("orders")
                .id(id)
                .type("order.placed")
                .payload(payload)
                .build();
    }

    // begin
    /** The inbox as the service builds it, on whatever store. */
    static InboxBuilder<JdbcContext> shipping(CrashingStore<JdbcContext> store) {
        return Inbox.builder("shipping", store).handle("order.placed", PayloadDecoder.text(), (item, context) -> {
            if (item.isBlank()) {
                throw new IllegalArgumentException("an order of nothing");
            }
            try (var insert = context.connection().prepareStatement("INSERT INTO shipment VALUES (?, ?)")) {
                insert.setString(1, String.valueOf(context.message().id()));
                insert.setString(2, item);
                insert.executeUpdate();
            }
        });
    }

    @Test
    void orderIsShippedOnceWhateverBecomesOfTheConnection() throws SQLException {
        var plan = CrashPlan.none().at(CrashPoint.AFTER_COMMIT, 1, () -> {
            throw new OutcomeUnknownException("the connection was lost after COMMIT was sent", null);
        });
        var store = JdbcStore.create(dataSource);
        var inbox = shipping(new CrashingStore<>(store, plan)).build();
        var orders = List.of(message("1", "a chair"), message("2", "a table"), message("3", " "));

        assertThatThrownBy(() -> inbox.process(orders)).isInstanceOf(OutcomeUnknownException.class);
        inbox.process(orders);

        plan.assertReached();
        EffectsChecker.expecting(List.of("1", "2", "3"))
                .effects(shipments())
                .keptBy(store.admin(), "shipping")
                .check()
                .assertExactlyOnce();
    }

    /** The table has no unique constraint, or a second effect could not show. */
    private List<String> shipments() throws SQLException {
        try (var connection = dataSource.getConnection();
                var select = connection.prepareStatement("SELECT message FROM shipment");
                var rows = select.executeQuery()) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        }
    }
    // end
}
