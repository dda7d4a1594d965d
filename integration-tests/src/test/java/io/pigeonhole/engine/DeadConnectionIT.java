package io.pigeonhole.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.MariaDbServers;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Workshop;
import io.pigeonhole.network.UnreliableProxy;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections over which nothing comes any more, and which nobody closes, as behind a firewall that has forgotten them. */
@Tag("full")
class DeadConnectionIT {
    private static final Pattern PORT = Pattern.compile(":(\\d+)/");
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Start START = new Start("kafka t-0", "begun", "member");
    private static final LogPartition PARTITION = new LogPartition("t", 0);

    /** What a pool that notices nothing has opened before. */
    private final Queue<Connection> idle = new ConcurrentLinkedQueue<>();

    private final List<AutoCloseable> toClose = new ArrayList<>();

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.embedded(), MariaDbServers.embedded());
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    @Tag("E10")
    void questionOfASourceOverADeadConnectionEndsAfterSomeSeconds(DatabaseServer server) throws SQLException {
        Workshop database = server.schema();
        Matcher port = PORT.matcher(database.url());
        assertThat(port.find()).isTrue();
        UnreliableProxy proxy = UnreliableProxy.before(Integer.parseInt(port.group(1)));
        toClose.add(proxy);
        toClose.add(database);
        DataSource direct = server.dataSource(port.replaceFirst(":" + proxy.port() + "/"));
        JdbcStore store = JdbcStore.create(pool(direct));
        Inbox<JdbcContext> inbox = Inbox.builder("test", store)
                .deduplication(Deduplication.WATERMARKS)
                .handle("work", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        List<Runnable> questions = List.of(
                () -> inbox.forSources().started(START),
                () -> inbox.forSources().survived(START),
                () -> inbox.forSources().ended(START),
                () -> inbox.forSources().acquire(PARTITION, "log"));
        questions.forEach(Runnable::run);
        while (idle.size() < questions.size()) {
            idle.add(direct.getConnection());
        }
        proxy.freeze();

        List<CompletableFuture<Void>> answers = questions.stream()
                .map(question -> CompletableFuture.runAsync(question, DeadConnectionIT::onAThread))
                .toList();
        for (CompletableFuture<Void> answer : answers) {
            assertThatThrownBy(() -> answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(StoreUnavailableException.class);
        }
    }

    private static void onAThread(Runnable task) {
        Thread thread = new Thread(task, "question");
        thread.setDaemon(true);
        thread.start();
    }

    private DataSource pool(DataSource direct) {
        return (DataSource) proxy(DataSource.class, (proxy, method, arguments) -> {
            Connection connection = idle.poll();
            return borrowed(connection == null ? direct.getConnection() : connection);
        });
    }

    private Connection borrowed(Connection connection) {
        return (Connection) proxy(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                idle.add(connection);
                return null;
            }
            try {
                return method.invoke(connection, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }
}
