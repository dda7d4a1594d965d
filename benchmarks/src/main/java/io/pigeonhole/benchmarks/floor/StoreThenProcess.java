package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.server.Product;
import io.pigeonhole.core.message.Message;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * The inbox that one writes by hand to acknowledge first and work later, by somebody who knows PostgreSQL: receivers insert
 * batches into one table and commit, workers lock rows of it in batches, work, and mark them as processed in the same
 * transaction. The rows stay, because a duplicate is recognised by them; whoever deletes them needs a second table for that. Each
 * worker has rows of its own, by the account, so that no two wait for each other or deadlock. Without the branch that counts
 * an attempt and moves {@code due_at}: nothing fails here.
 */
final class StoreThenProcess implements FloorVariant.Course {
    static final int RECEIVERS = 2;
    static final int WORKERS = 2;
    static final int BATCH = 100;

    private static final int PAUSE_MILLIS = 5;
    private static final String DEADLOCK = "40001";

    private final DataSource dataSource;
    private final FloorStatements statements;
    private final boolean hasUuids;

    StoreThenProcess(DataSource dataSource, Product product) {
        this.dataSource = dataSource;
        this.statements = FloorStatements.of(product);
        this.hasUuids = product == Product.POSTGRESQL;
    }

    @Override
    public long run(Workload workload) throws Exception {
        CountDownLatch allStored = new CountDownLatch(1);
        ExecutorService executor = Executors.newFixedThreadPool(WORKERS);
        try {
            List<Future<?>> workers = new ArrayList<>();
            long began = System.nanoTime();
            for (int i = 0; i < WORKERS; i++) {
                workers.add(executor.submit(worker(i, allStored)));
            }
            new Partitions(workload, BATCH, RECEIVERS).drainInto(batch -> untilNoDeadlock(() -> store(batch)));
            allStored.countDown();
            for (Future<?> worker : workers) {
                worker.get();
            }
            return System.nanoTime() - began;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            executor.shutdownNow();
        }
    }

    private int store(List<Message> batch) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement(statements.storeReceive())) {
                for (Message message : batch) {
                    byte[] key = message.orderingKey();
                    String account = key == null ? "" : new String(key, StandardCharsets.UTF_8);
                    bindId(statement, 1, UUID.fromString(String.valueOf(message.id())));
                    statement.setInt(2, Math.floorMod(account.hashCode(), WORKERS));
                    statement.setString(3, message.source());
                    statement.setString(4, message.type());
                    statement.setString(5, account);
                    statement.setString(6, message.contentType());
                    statement.setBytes(7, message.payload());
                    statement.addBatch();
                }
                statement.executeBatch();
            }
            connection.commit();
            return batch.size();
        }
    }

    /** MariaDB lets those who insert into an index and those who change it meet in a deadlock now and then. */
    private static int untilNoDeadlock(Attempt attempt) throws SQLException {
        while (true) {
            try {
                return attempt.run();
            } catch (SQLException e) {
                if (!DEADLOCK.equals(e.getSQLState())) {
                    throw e;
                }
            }
        }
    }

    /** A transaction. */
    @FunctionalInterface
    private interface Attempt {
        int run() throws SQLException;
    }

    private Callable<Void> worker(int number, CountDownLatch allStored) {
        return () -> {
            while (true) {
                if (untilNoDeadlock(() -> work(number)) > 0) {
                    continue;
                }
                if (allStored.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS) && left(number) == 0) {
                    return null;
                }
            }
        };
    }

    /** A worker may have got nothing because the other one held its rows: on MariaDB a search locks what it passes, too. */
    private int left(int number) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement left = connection.prepareStatement(statements.storeLeft())) {
            left.setInt(1, number);
            try (ResultSet row = left.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private int work(int number) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            List<UUID> ids = new ArrayList<>(BATCH);
            List<Message> messages = new ArrayList<>(BATCH);
            take(number, connection, ids, messages);
            for (Message message : messages) {
                AtLeastOnce.apply(Payment.of(message), connection);
            }
            if (!ids.isEmpty()) {
                finish(ids, connection);
            }
            connection.commit();
            return ids.size();
        }
    }

    private void take(int number, Connection connection, List<UUID> ids, List<Message> messages) throws SQLException {
        try (PreparedStatement take = connection.prepareStatement(statements.storeTake())) {
            take.setInt(1, number);
            take.setInt(2, BATCH);
            try (ResultSet rows = take.executeQuery()) {
                while (rows.next()) {
                    ids.add(readId(rows));
                    messages.add(Message.builder(rows.getString(2))
                            .type(rows.getString(3))
                            .payload(rows.getBytes(4))
                            .build());
                }
            }
        }
    }

    private void finish(List<UUID> ids, Connection connection) throws SQLException {
        int finished = hasUuids ? finishByArray(ids, connection) : finishByList(ids, connection);
        if (finished != ids.size()) {
            throw new IllegalStateException("marked " + finished + " of " + ids.size() + " messages");
        }
    }

    private int finishByArray(List<UUID> ids, Connection connection) throws SQLException {
        Array array = connection.createArrayOf("uuid", ids.toArray());
        try (PreparedStatement finish = connection.prepareStatement(statements.storeFinish())) {
            finish.setArray(1, array);
            return finish.executeUpdate();
        } finally {
            array.free();
        }
    }

    private int finishByList(List<UUID> ids, Connection connection) throws SQLException {
        String list = String.join(", ", Collections.nCopies(ids.size(), "?"));
        try (PreparedStatement finish =
                connection.prepareStatement(statements.storeFinish().formatted(list))) {
            for (int i = 0; i < ids.size(); i++) {
                bindId(finish, i + 1, ids.get(i));
            }
            return finish.executeUpdate();
        }
    }

    private void bindId(PreparedStatement statement, int index, UUID id) throws SQLException {
        if (hasUuids) {
            statement.setObject(index, id);
        } else {
            statement.setBytes(
                    index,
                    ByteBuffer.allocate(16)
                            .putLong(id.getMostSignificantBits())
                            .putLong(id.getLeastSignificantBits())
                            .array());
        }
    }

    private UUID readId(ResultSet row) throws SQLException {
        if (hasUuids) {
            return row.getObject(1, UUID.class);
        }
        ByteBuffer bytes = ByteBuffer.wrap(row.getBytes(1));
        return new UUID(bytes.getLong(), bytes.getLong());
    }
}
