package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Data sources that have no connection, and say so in their own way: the database is away. */
@Tag("D-datasource")
class DataSourceTroubleIT {
    /** How a data source has none. */
    private interface Answer {
        @Nullable
        Connection connection(DataSource target) throws SQLException;
    }

    private static final Answer WELL = DataSource::getConnection;

    /** As a pool that is begun lazily does it. */
    private static final Answer THROWING = target -> {
        throw new IllegalStateException("the pool has not begun");
    };

    private static final Answer NONE = target -> null;

    /** As a pool does it whose connections are closed under its users. */
    private static final Answer UNUSABLE = target -> (Connection) Proxy.newProxyInstance(
            DataSourceTroubleIT.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
                throw new IllegalStateException("the pool is closed");
            });

    private final AtomicReference<Answer> answer = new AtomicReference<>(WELL);

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.embedded(), H2Server.FILES);
    }

    private DataSource dataSource(DataSource target) {
        return (DataSource) Proxy.newProxyInstance(
                DataSourceTroubleIT.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        return Objects.requireNonNull(answer.get()).connection(target);
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void isAway(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(StoreUnavailableException.class);
    }

    @ParameterizedTest
    @MethodSource("servers")
    void databaseIsAwayWhateverTheDataSourceThrows(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            DataSource dataSource = dataSource(workshop.dataSource());
            JdbcStore store = JdbcStore.create(dataSource);
            Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build();
            Message message =
                    Message.builder("queue").id("a").type("note").payload("a").build();

            for (Answer trouble : new Answer[] {THROWING, NONE}) {
                answer.set(trouble);
                isAway(() -> inbox.process(message));
                isAway(inbox.forSources()::probe);
                isAway(inbox::work);
                isAway(store::maintain);
                isAway(() -> JdbcStore.create(dataSource));
            }
            answer.set(UNUSABLE);
            isAway(() -> inbox.process(message));

            answer.set(WELL);
            assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        }
    }

    /** Each question may take as long as a connection takes to fail. */
    @ParameterizedTest
    @MethodSource("servers")
    @Tag("D5")
    void maintenanceAsksADatabaseThatIsAwayOnce(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(dataSource(workshop.dataSource()));
            AtomicInteger asked = new AtomicInteger();
            answer.set(target -> {
                asked.incrementAndGet();
                return null;
            });

            isAway(store::maintain);

            assertThat(asked).hasValue(1);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    @Tag("D5")
    void maintenanceEndsWhereTheDatabaseGoesAwayMeanwhile(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(dataSource(workshop.dataSource()));
            store.maintain();
            AtomicInteger asked = new AtomicInteger();
            answer.set(target -> asked.incrementAndGet() == 1 ? target.getConnection() : null);

            isAway(store::maintain);

            assertThat(asked).hasValue(2);
        }
    }
}
