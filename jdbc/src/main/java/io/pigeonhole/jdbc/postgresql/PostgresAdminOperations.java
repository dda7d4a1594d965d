package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.AdminOperations;
import io.pigeonhole.jdbc.sql.AdminStatement;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.Sql;
import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The administrators' operations on PostgreSQL.
 *
 * @param connection the transaction's
 * @param statements of the database
 * @param days that the ledger is known to have
 */
record PostgresAdminOperations(Connection connection, Statements statements, KnownDays days)
        implements AdminOperations {
    /** Ours hold by settings: see {@link PostgresTransactionStatement#SHORT}. */
    private static final int NO_LIMIT = 0;

    /** A few days at a time, newest first: each day that a statement looks at takes locks, which its savepoint gives back. */
    @Override
    public <T> @Nullable T inHistory(HistoryLook<T> look) throws SQLException {
        Sql.Text show = statements.get(AdminStatement.SHOW_HISTORY).text(1);
        for (String part : PostgresParts.ofHistory(connection, statements, show.sql())) {
            Savepoint before = connection.setSavepoint();
            T found;
            try (Call call = Call.of(connection, show.as(part), new PostgresValues(connection))) {
                found = look.in(call);
            }
            connection.rollback(before);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Such a statement has ON CONFLICT DO NOTHING. */
    @Override
    public boolean insertUnlessThere(Call insert) throws SQLException {
        return insert.change() == 1;
    }

    @Override
    public long deleteLocked(StatementName statement, List<Long> ids) throws SQLException {
        try (Call call = call(statement)) {
            return call.changeOfEach(ids);
        }
    }

    /** It locks work partitions by numbers. */
    @Override
    public void addWorkPartitions(RegisteredConsumer consumer) {}

    @Override
    public void addLostWorkPartitions(RegisteredConsumer consumer) {}

    @Override
    public void lockWorkPartitions(RegisteredConsumer consumer, Collection<Integer> workPartitions)
            throws SQLException {
        if (workPartitions.isEmpty()) {
            return;
        }
        try (Call call = call(PostgresWorkPartitionStatement.LOCK)) {
            WorkPartitionLocks.lock(call, consumer, new TreeSet<>(workPartitions));
        }
    }

    @Override
    public Claim claim(RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException {
        return Claims.byHand(
                connection, statements.sql(PostgresLedgerStatement.CLAIM_BY_HAND), consumer, keys, days, NO_LIMIT);
    }

    @Override
    public Set<Long> requeue(RegisteredConsumer consumer, List<Long> ids, Instant first, Duration interval)
            throws SQLException {
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            delays.add(interval.multipliedBy(i).toNanos() / 1_000);
        }
        try (Call call = call(PostgresDeadLetterStatement.REQUEUE)) {
            return new HashSet<>(call.numbers("ids", ids)
                    .numbers("delays", delays)
                    .consumer(consumer)
                    .instant("first", first)
                    .all(row -> row.getLong(1)));
        }
    }

    @Override
    public void skip(RegisteredConsumer consumer, MessageKey key, long id, String detail) throws SQLException {
        try (Call call = call(PostgresDeadLetterStatement.SKIP)) {
            call.number("id", id).text("detail", detail).change();
        }
    }

    private Call call(StatementName statement) throws SQLException {
        return Call.of(connection, statements.get(statement).text(1), new PostgresValues(connection));
    }
}
