package io.pigeonhole.jdbc.admin;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.AdminStatement;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.CleanText;
import io.pigeonhole.jdbc.sql.StatementName;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One change that somebody makes, in a transaction of its own with its entry in the audit.
 *
 * @param session the transaction
 * @param consumer whose messages
 * @param by who, and why
 */
public record AuditedChange(AdminSession session, RegisteredConsumer consumer, Author by) {
    /** How often a message is looked for that somebody moves at the same time. */
    static final int MOST_TRIES = 3;

    private static final int LONGEST_DETAIL = 2_000;

    /** What is done in it. */
    @FunctionalInterface
    interface Work<T> {
        T run(AuditedChange change) throws SQLException;
    }

    /** Runs a change; empty where something was busy, and nothing was changed. */
    static <T> Optional<T> run(AdminDatabase database, String doing, String consumer, Author by, Work<T> work) {
        return database.change(
                doing, session -> work.run(new AuditedChange(session, AdminReads.consumer(session, consumer), by)));
    }

    /** A statement to be bound and closed. */
    Call call(AdminStatement statement) throws SQLException {
        return session.call(statement);
    }

    /** Changes the one row that has an id; the row is locked. */
    int change(StatementName statement, long id) throws SQLException {
        try (Call call = session.call(statement)) {
            return call.number("id", id).change();
        }
    }

    /** Deletes the one row that has an id; the row is locked. */
    void delete(StatementName statement, long id) throws SQLException {
        try (Call call = session.call(statement)) {
            call.number("id", id).changeLocked();
        }
    }

    public void audit(AdminAction action, @Nullable MessageKey key, String detail, long affected) throws SQLException {
        audit(session, consumer.name(), by, action, key, detail, affected);
    }

    /** The same of what is not about a consumer: then its name is empty. */
    public static void audit(
            AdminSession session,
            String consumer,
            Author by,
            AdminAction action,
            @Nullable MessageKey key,
            String detail,
            long affected)
            throws SQLException {
        try (Call call = session.call(AdminStatement.NOTE_CHANGE)) {
            call.text("who", by.who())
                    .text("reason", by.reason())
                    .text("action", action.name())
                    .text("name", consumer)
                    .key(key)
                    .text("detail", bounded(detail))
                    .number("affected", affected)
                    .now()
                    .change();
        }
    }

    static String bounded(String detail) {
        return CleanText.of(detail.length() <= LONGEST_DETAIL ? detail : detail.substring(0, LONGEST_DETAIL));
    }
}
