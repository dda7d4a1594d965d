package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.AttemptEntry;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.BlockedKey;
import io.pigeonhole.core.admin.ConsumerSummary;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.MessageLabel;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Rows as the admin API returns them. How keys and instants are stored is the database's matter. */
public final class AdminRows {
    /** Where the columns begin that follow those of a label. */
    private static final int AFTER_LABEL = 9;

    /** Where the message begins behind an entry of work, and behind a dead letter. */
    public static final int MESSAGE_AFTER_WORK = 16;

    public static final int MESSAGE_AFTER_LETTER = 17;

    private final Values values;

    public AdminRows(Values values) {
        this.values = values;
    }

    public MessageKey key(ResultSet row, int column) throws SQLException {
        return Objects.requireNonNull(keyOrNull(row, column));
    }

    /** Null where the column is. */
    @Nullable
    MessageKey keyOrNull(ResultSet row, int column) throws SQLException {
        return values.keyOrNull(row, column);
    }

    /** Null where the column is. */
    @Nullable
    public Instant instantOrNull(ResultSet row, int column) throws SQLException {
        return values.instantOrNull(row, column);
    }

    public Instant instant(ResultSet row, int column) throws SQLException {
        return Objects.requireNonNull(instantOrNull(row, column));
    }

    public static RegisteredConsumer consumer(ResultSet row) throws SQLException {
        boolean ulids = constant(IdForm.class, row, 4) == IdForm.TIME_ORDERED_WITH_ULIDS;
        return new RegisteredConsumer(
                row.getShort(1),
                row.getString(2),
                new KeyScheme(row.getLong(3), ulids),
                constant(KeyOrder.class, row, 5),
                row.getInt(6),
                constant(Deduplication.class, row, 7));
    }

    private static <E extends Enum<E>> E constant(Class<E> type, ResultSet row, int column) throws SQLException {
        return StoredNames.read(type, row.getString(column), StoredNames.consumer(row.getString(2)));
    }

    /** One whose oldest work is not due yet has nothing overdue. */
    public ConsumerSummary summary(ResultSet row, Instant now) throws SQLException {
        Instant oldest = instantOrNull(row, 14);
        return new ConsumerSummary(
                consumer(row),
                row.getBoolean(8),
                row.getLong(9),
                row.getLong(10),
                row.getLong(11),
                row.getLong(12),
                row.getLong(13),
                oldest == null || oldest.isAfter(now) ? null : Duration.between(oldest, now));
    }

    private MessageLabel label(ResultSet row) throws SQLException {
        byte[] id = row.getBytes(4);
        byte[] orderingKey = row.getBytes(6);
        return new MessageLabel(
                key(row, 2),
                row.getString(3),
                id == null ? null : MessageId.of(id),
                row.getString(5),
                orderingKey == null ? null : OrderingKey.of(orderingKey),
                row.getString(7),
                row.getInt(8));
    }

    public WorkEntry work(ResultSet row) throws SQLException {
        return new WorkEntry(
                row.getLong(1),
                label(row),
                status(row.getString(AFTER_LABEL)),
                row.getInt(10),
                instant(row, 11),
                row.getString(12),
                instantOrNull(row, 13),
                instant(row, 14),
                row.getString(15));
    }

    public DeadLetterEntry letter(ResultSet row) throws SQLException {
        String name = row.getString(AFTER_LABEL);
        DeadReason reason = DeadReason.of(name);
        return new DeadLetterEntry(
                row.getLong(1),
                label(row),
                reason,
                detail(reason == DeadReason.UNKNOWN, name, row.getString(10)),
                row.getBoolean(11),
                row.getBoolean(12),
                row.getInt(13),
                row.getInt(14),
                instant(row, 15),
                instant(row, 16));
    }

    public BlockedKey blockedKey(ResultSet row) throws SQLException {
        return new BlockedKey(
                OrderingKey.of(row.getBytes(1)),
                key(row, 2),
                status(row.getString(3)),
                instantOrNull(row, 4),
                row.getString(5),
                row.getLong(6));
    }

    public AttemptEntry attempt(ResultSet row) throws SQLException {
        return new AttemptEntry(
                instant(row, 1),
                new FailedAttempt(
                        row.getInt(2),
                        row.getString(3),
                        Duration.ofMillis(row.getLong(4)),
                        row.getString(5),
                        row.getString(6),
                        row.getString(7)));
    }

    public AuditEntry audit(ResultSet row) throws SQLException {
        String name = row.getString(5);
        AdminAction action = AdminAction.of(name);
        return new AuditEntry(
                row.getLong(1),
                instant(row, 2),
                new Author(row.getString(3), row.getString(4)),
                action,
                row.getString(6),
                keyOrNull(row, 7),
                detail(action == AdminAction.UNKNOWN, name, row.getString(8)),
                row.getLong(9));
    }

    /** A name that only a newer version knows is shown in the detail, because no constant says it. */
    private static String detail(boolean unknown, String name, String detail) {
        if (!unknown) {
            return detail;
        }
        return detail.isEmpty() ? name : name + ": " + detail;
    }

    public static MessageStatus status(String text) {
        return StoredNames.read(MessageStatus.class, text.toUpperCase(Locale.ROOT), "a message in inbox_work");
    }
}
