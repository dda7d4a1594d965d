package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
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
 * transaction. The rows stay, because a duplicate is told by them; whoever deletes them needs a second table for that. Each
 * worker has rows of its own, by the account, so that no two wait for each other or deadlock. Without the branch that counts
 * an attempt and moves {@code due_at}: nothing fails here.
 */
final class StoreThenProcess implements FloorVariant.Course {
    static final String TABLE = """
            CREATE TABLE stored_inbox (
                message_id   uuid PRIMARY KEY,
                worker       smallint NOT NULL,
                source       text NOT NULL,
                event_type   text NOT NULL,
                ordering_key text NOT NULL,
                content_type text NOT NULL,
                payload      bytea NOT NULL,
                status       text NOT NULL DEFAULT 'pending',
                attempts     integer NOT NULL DEFAULT 0,
                received_at  timestamptz NOT NULL DEFAULT now(),
                due_at       timestamptz NOT NULL DEFAULT now(),
                processed_at timestamptz);
            CREATE INDEX stored_inbox_due ON stored_inbox (worker, due_at) WHERE status = 'pending'
            """;

    static final int RECEIVERS = 2;
    static final int WORKERS = 2;
    static final int BATCH = 100;

    private static final String STORE = """
            INSERT INTO stored_inbox (message_id, worker, source, event_type, ordering_key, content_type, payload)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING""";

    private static final String TAKE = """
            SELECT message_id, source, event_type, payload
            FROM stored_inbox
            WHERE status = 'pending' AND worker = ? AND due_at <= now()
            ORDER BY due_at
            LIMIT ?
            FOR UPDATE SKIP LOCKED""";

    private static final String FINISH = """
            UPDATE stored_inbox SET status = 'processed', attempts = attempts + 1, processed_at = now()
            WHERE message_id = ANY (?)""";

    private static final int PAUSE_MILLIS = 5;

    private final DataSource dataSource;

    StoreThenProcess(DataSource dataSource) {
        this.dataSource = dataSource;
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
            new Lanes(workload, BATCH, RECEIVERS).drainInto(this::store);
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

    private void store(List<Message> batch) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement(STORE)) {
                for (Message message : batch) {
                    byte[] key = message.orderingKey();
                    String account = key == null ? "" : new String(key, StandardCharsets.UTF_8);
                    statement.setObject(1, UUID.fromString(String.valueOf(message.id())));
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
        }
    }

    private Callable<Void> worker(int number, CountDownLatch allStored) {
        return () -> {
            boolean last = false;
            while (true) {
                if (work(number) > 0) {
                    continue;
                }
                if (last) {
                    return null;
                }
                last = allStored.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            }
        };
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

    private static void take(int number, Connection connection, List<UUID> ids, List<Message> messages)
            throws SQLException {
        try (PreparedStatement take = connection.prepareStatement(TAKE)) {
            take.setInt(1, number);
            take.setInt(2, BATCH);
            try (ResultSet rows = take.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getObject(1, UUID.class));
                    messages.add(Message.builder(rows.getString(2))
                            .type(rows.getString(3))
                            .payload(rows.getBytes(4))
                            .build());
                }
            }
        }
    }

    private static void finish(List<UUID> ids, Connection connection) throws SQLException {
        Array array = connection.createArrayOf("uuid", ids.toArray());
        try (PreparedStatement finish = connection.prepareStatement(FINISH)) {
            finish.setArray(1, array);
            int finished = finish.executeUpdate();
            if (finished != ids.size()) {
                throw new IllegalStateException("marked " + finished + " of " + ids.size() + " messages");
            }
        } finally {
            array.free();
        }
    }
}
