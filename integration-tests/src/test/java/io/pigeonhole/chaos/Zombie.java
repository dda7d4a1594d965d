package io.pigeonhole.chaos;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** What the process that is stopped and the node that goes on have in common. */
enum Zombie {
    EXTERNAL,
    WORKER,
    INLINE,
    INLINE_IN_ORDER;

    static final String TYPE = "numbered";

    /** How long a lease lasts, and how long a transaction may be idle. */
    static final Duration LIMIT = Duration.ofSeconds(1);

    /** What a node does in the middle of a handler; its effect is written before that, or after it without a transaction. */
    @FunctionalInterface
    interface Pause {
        void pause(Message message) throws Exception;
    }

    InboxBuilder<JdbcContext> inbox(JdbcStore store, String node, Pause pause) {
        InboxBuilder<JdbcContext> inbox = Inbox.builder("undead", store)
                .node(node)
                .lease(LIMIT)
                .handlerTimeout(LIMIT)
                .order(this == INLINE_IN_ORDER ? KeyOrder.SKIP_DEAD_LETTERS : KeyOrder.NONE)
                .workPartitions(1)
                .retry(retry());
        if (this == EXTERNAL) {
            return inbox.handleExternal(TYPE, PayloadDecoder.text(), (payload, context) -> {
                pause.pause(context.message());
                return completing -> write(completing, node);
            });
        }
        Handler<String, JdbcContext> handler = (payload, context) -> {
            write(context, node);
            pause.pause(context.message());
        };
        return inbox.handle(TYPE, PayloadDecoder.text(), handler);
    }

    private RetryPolicy retry() {
        return RetryPolicy.fixed(this == EXTERNAL ? Duration.ofMillis(1) : Duration.ofHours(1));
    }

    /** Sent at once, so that it is in the open transaction while its process is stopped. */
    private static void write(JdbcContext context, String node) throws SQLException {
        try (PreparedStatement statement =
                context.connection().prepareStatement("INSERT INTO effect (text) VALUES (?)")) {
            statement.setString(1, id(context.message()) + " by " + node);
            statement.executeUpdate();
        }
    }

    static String id(Message message) {
        return message.origin() == null ? message.toString() : message.origin();
    }

    static Message message(String id) {
        return Message.builder("deadLetters")
                .id(id)
                .origin(id)
                .type(TYPE)
                .orderingKey("key " + id.charAt(0))
                .payload(id)
                .build();
    }

    static List<Message> messages(String... ids) {
        return List.of(ids).stream().map(Zombie::message).toList();
    }
}
