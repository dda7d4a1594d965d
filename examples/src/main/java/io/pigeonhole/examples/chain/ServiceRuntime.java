package io.pigeonhole.examples.chain;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.NodeBuilder;
import io.pigeonhole.core.relay.Publisher;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.examples.demo.ParentWatch;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.time.Duration;

/** What the processes of all services have in common: a pool, a store and a node, until the coordinator says or is gone. */
final class ServiceRuntime implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration START = Duration.ofSeconds(30);
    private static final int CONNECTIONS = 16;
    private static final int MOST_ATTEMPTS = 20;

    private final ParentWatch parent = ParentWatch.start();
    private final HikariDataSource pool;
    private final JdbcStore store;

    ServiceRuntime(ServiceSettings settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.databaseUrl());
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(2);
        config.setConnectionTimeout(CONNECT.toMillis());
        // A service that is started while its database is dead waits for it.
        config.setInitializationFailTimeout(START.toMillis());
        this.pool = new HikariDataSource(config);
        this.store = JdbcStore.create(pool);
    }

    JdbcStore store() {
        return store;
    }

    /** An inbox that keeps the order of each customer, and tries again soon. */
    InboxBuilder<JdbcContext> inbox(String consumer) {
        return Inbox.builder(consumer, store)
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .retry(RetryPolicy.fixed(RETRY).maxAttempts(MOST_ATTEMPTS));
    }

    Relay relay(Stage stage, Publisher publisher) {
        return Relay.builder(stage.destination(), store, publisher).build();
    }

    NodeBuilder node() {
        return Node.builder(store).pollInterval(POLL);
    }

    /** Waits for the end; the node works meanwhile. */
    void runUntilTheEnd(Node node) throws InterruptedException {
        while (!parent.isOverWithin(1)) {
            Throwable failure = node.failure();
            if (failure != null) {
                throw new IllegalStateException("a source has given up", failure);
            }
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
