package io.pigeonhole.jdbc;

import java.util.EnumMap;
import java.util.Map;

/** The statements of the admin API by which PostgreSQL does the same as the standard ones. */
final class PostgresAdminStatements {
    private static final Map<AdminStatement, String> TEXTS = new EnumMap<>(AdminStatement.class);

    static {
        TEXTS.put(AdminStatement.CONSUMERS, PostgresReadStatements.CONSUMERS);
        TEXTS.put(AdminStatement.SUMMARIES, PostgresReadStatements.SUMMARIES);
        TEXTS.put(AdminStatement.WORK, PostgresReadStatements.WORK);
        TEXTS.put(AdminStatement.DEAD_LETTERS, PostgresReadStatements.DEAD_LETTERS);
        TEXTS.put(AdminStatement.COUNT_LETTERS, PostgresReadStatements.COUNT_LETTERS);
        TEXTS.put(AdminStatement.PART, PostgresReadStatements.PART);
        TEXTS.put(AdminStatement.ONE_LETTER, PostgresReadStatements.ONE_LETTER);
        TEXTS.put(AdminStatement.SHOW_WORK, PostgresReadStatements.SHOW_WORK);
        TEXTS.put(AdminStatement.SHOW_LETTER, PostgresReadStatements.SHOW_LETTER);
        TEXTS.put(AdminStatement.SHOW_HISTORY, PostgresReadStatements.SHOW_HISTORY);
        TEXTS.put(AdminStatement.SHOW_ACCEPTED, PostgresReadStatements.SHOW_ACCEPTED);
        TEXTS.put(AdminStatement.SHOW_ATTEMPTS, PostgresReadStatements.SHOW_ATTEMPTS);
        TEXTS.put(AdminStatement.AUDIT, PostgresReadStatements.AUDIT);
        TEXTS.put(AdminStatement.AUDIT_OF_MESSAGE, PostgresReadStatements.AUDIT_OF_MESSAGE);
        TEXTS.put(AdminStatement.BLOCKED_KEYS, PostgresReadStatements.BLOCKED_KEYS);
        TEXTS.put(AdminStatement.LOCK_WORK, PostgresChangeStatements.LOCK_WORK);
        TEXTS.put(AdminStatement.LOCK_LETTER, PostgresChangeStatements.LOCK_LETTER);
        TEXTS.put(AdminStatement.LOCK_LETTERS, PostgresChangeStatements.LOCK_LETTERS);
        TEXTS.put(AdminStatement.RETRY_NOW, PostgresChangeStatements.RETRY_NOW);
        TEXTS.put(AdminStatement.RELEASE_LEASE, PostgresChangeStatements.RELEASE_LEASE);
        TEXTS.put(AdminStatement.NOTE_ATTEMPT, PostgresChangeStatements.NOTE_ATTEMPT);
        TEXTS.put(AdminStatement.DISCARD_WORK, PostgresChangeStatements.DISCARD_WORK);
        TEXTS.put(AdminStatement.DISCARD_LETTER, PostgresChangeStatements.DISCARD_LETTER);
        TEXTS.put(AdminStatement.HEAD, PostgresChangeStatements.HEAD);
        TEXTS.put(AdminStatement.STOP_BLOCKING, PostgresChangeStatements.STOP_BLOCKING);
        TEXTS.put(AdminStatement.PAUSE, PostgresChangeStatements.PAUSE);
        TEXTS.put(AdminStatement.DEDUPLICATE, WatermarkStatements.DEDUPLICATE);
        TEXTS.put(AdminStatement.TAKE_PARTITIONS_AWAY, WatermarkStatements.TAKE_PARTITIONS_AWAY);
        TEXTS.put(AdminStatement.RESET_WATERMARKS, WatermarkStatements.RESET_WATERMARKS);
        TEXTS.put(AdminStatement.FORGET_WATERMARKS, WatermarkStatements.FORGET_WATERMARKS);
        TEXTS.put(AdminStatement.NOTE_CHANGE, PostgresChangeStatements.NOTE_CHANGE);
    }

    private PostgresAdminStatements() {}

    /** What it says; requeues and skips are told otherwise, in one statement each. */
    static String text(AdminStatement statement) {
        String text = TEXTS.get(statement);
        if (text == null) {
            throw new IllegalArgumentException(statement + " has no text for PostgreSQL");
        }
        return text;
    }
}
