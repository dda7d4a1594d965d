package io.pigeonhole.jdbc.outbox;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.MessageIds;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.sql.StoreSchema;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How messages to send are appended in one database. Safe for use by many threads; the outboxes that it makes are for one.
 *
 * <p>The insert is one of those that handlers defer, so that what becomes of a handler's writes becomes of its messages: they go with it
 * where it fails, and with a savepoint that it goes back to.
 */
public final class Appends {
    private final OutboxInsert insert;
    private final AppendListeners listeners;

    private Appends(OutboxInsert insert, AppendListeners listeners) {
        this.insert = insert;
        this.listeners = listeners;
    }

    /**
     * In the database of these statements.
     *
     * @param schema of our tables, which a connection of handlers may find no more; null where a database has none
     */
    public static Appends of(Statements statements, @Nullable StoreSchema schema, AppendListeners listeners) {
        return new Appends(OutboxInsert.of(statements, schema), listeners);
    }

    /** The same where transactions that append to one key wait for each other. */
    public static Appends inOrder(Statements statements, @Nullable StoreSchema schema, AppendListeners listeners) {
        return new Appends(OutboxInsert.inOrder(statements, schema), listeners);
    }

    /**
     * Those of a transaction. For its thread.
     *
     * @param afterCommit runs something after its commit; throws IllegalStateException where it has ended
     */
    public InTransaction in(Consumer<Runnable> afterCommit) {
        return new InTransaction(afterCommit);
    }

    /** What is appended in one transaction. */
    public final class InTransaction {
        private final Consumer<Runnable> afterCommit;
        private final AppendListeners.OfTransaction appended = listeners.new OfTransaction();
        private boolean isHeard;

        private InTransaction(Consumer<Runnable> afterCommit) {
            this.afterCommit = afterCommit;
        }

        /**
         * An outbox.
         *
         * @param writer writes in the transaction
         * @param handled the message whose handler appends, or null
         */
        public Outbox outbox(AppendWriter writer, @Nullable Message handled) {
            return toSend -> append(writer, handled, toSend);
        }

        private UUID append(AppendWriter writer, @Nullable Message handled, OutboxMessage toSend) {
            if (!isHeard) {
                // Before anything is written: it may say that there is nothing to write in any more.
                afterCommit.accept(appended);
                isHeard = true;
            }
            UUID id = MessageIds.next();
            int workPartition = toSend.workPartition(id);
            insert.write(writer, toSend.toMessage(id, handled), workPartition, id);
            appended.add(toSend.destination(), workPartition);
            return id;
        }
    }
}
