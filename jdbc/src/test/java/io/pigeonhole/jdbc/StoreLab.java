package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.transaction.GuardedConnection;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;

/** A store with a new consumer. */
record StoreLab(JdbcStore store, RegisteredConsumer consumer) {
    static final Duration IDLE_LIMIT = Duration.ofMinutes(1);
    static final Duration LONG = Duration.ofSeconds(20);
    static final Duration SHORT = Duration.ofMillis(50);

    static StoreLab of(DataSource dataSource) {
        JdbcStore store = JdbcStore.create(dataSource);
        ConsumerRegistration registration = new ConsumerRegistration("it " + UUID.randomUUID(), IdForm.TIME_ORDERED);
        return new StoreLab(store, store.register(registration));
    }

    InboxTransaction<JdbcContext> begin() {
        return store.begin(IDLE_LIMIT);
    }

    static Message message() {
        return message("id " + UUID.randomUUID());
    }

    static Message message(String id) {
        return Message.builder("notes").id(id).type("note").build();
    }

    MessageKey keyOf(Message message) {
        MessageId id = Objects.requireNonNull(message.id());
        return consumer.keys().keyOf(message.source(), id);
    }

    /** Claims a new message and answers the context of its handler. */
    JdbcContext claimed(InboxTransaction<JdbcContext> transaction) {
        return claimed(transaction, message());
    }

    JdbcContext claimed(InboxTransaction<JdbcContext> transaction, Message message) {
        transaction.claim(consumer, List.of(keyOf(message)), LONG);
        return transaction.context(consumer, keyOf(message), message, 1);
    }

    /** Around the guard, which no handler can. */
    static Connection driversOwn(Connection guarded) {
        return (Connection) ((GuardedConnection) Proxy.getInvocationHandler(guarded)).target();
    }

    /** Whether a claim of the message's key, made now, gets it. */
    boolean isNew(Message message) {
        try (InboxTransaction<JdbcContext> transaction = begin()) {
            return !transaction
                    .claim(consumer, List.of(keyOf(message)), LONG)
                    .claimed()
                    .isEmpty();
        }
    }
}
