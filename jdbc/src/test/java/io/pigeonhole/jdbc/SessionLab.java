package io.pigeonhole.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** An inbox in one schema, with a pool of two connections. */
final class SessionLab implements AutoCloseable {
    static final String TYPE = "note";

    final Workshop own;
    final HikariDataSource pool;
    final JdbcStore store;
    final String consumer = "session " + UUID.randomUUID();

    SessionLab(Workshop own) {
        this.own = own;
        HikariConfig config = new HikariConfig();
        config.setDataSource(own.dataSource());
        config.setMaximumPoolSize(2);
        pool = new HikariDataSource(config);
        store = JdbcStore.create(pool);
    }

    InboxBuilder<JdbcContext> builder(Handler<String, JdbcContext> handler) {
        return Inbox.builder(consumer, store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle(TYPE, PayloadDecoder.text(), handler);
    }

    static List<Message> messages(String... payloads) {
        List<Message> messages = new ArrayList<>();
        for (String payload : payloads) {
            messages.add(Message.builder("notes")
                    .id(UUID.randomUUID().toString())
                    .type(TYPE)
                    .payload(payload)
                    .build());
        }
        return messages;
    }

    static List<Outcome.Kind> kinds(List<Outcome> outcomes) {
        return outcomes.stream().map(Outcome::kind).toList();
    }

    static void execute(JdbcContext context, String... statements) throws SQLException {
        execute(context.connection(), statements);
    }

    static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** What lies in the tables of a schema: work, ledger and history. */
    static List<String> kept(Workshop workshop) {
        List<String> kept = new ArrayList<>();
        for (String table : List.of("inbox_work", "inbox_ledger", "inbox_history")) {
            kept.add(workshop.ask("SELECT count(*) FROM " + table) + " in " + table);
        }
        return kept;
    }

    @Override
    public void close() {
        pool.close();
        own.close();
    }
}
