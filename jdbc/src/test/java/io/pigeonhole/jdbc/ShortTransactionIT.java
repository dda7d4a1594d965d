package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.Products;
import io.pigeonhole.jdbc.generic.PlainBoundary;
import io.pigeonhole.jdbc.postgresql.PostgresBoundary;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A transaction that did not come to its commit leaves nothing, whatever was thrown. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
@Tag("A11")
class ShortTransactionIT {
    private final Workshop workshop;
    private final String effect = "half " + UUID.randomUUID();

    ShortTransactionIT(DatabaseServer server) {
        this.workshop = server.sharedSchema();
    }

    private List<String> left() {
        return workshop.askAll("SELECT text FROM effect WHERE text = ?", effect);
    }

    private boolean write(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO effect (text) VALUES (?)")) {
            statement.setString(1, effect);
            statement.executeUpdate();
        }
        return true;
    }

    /** A connection whose rollback of something fails with an error that says nothing about the database. */
    private Connection withBrokenRollback(Throwable failure) throws SQLException {
        Connection connection = workshop.dataSource().getConnection();
        AtomicBoolean used = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("rollback") && arguments == null && used.get()) {
                        throw failure;
                    }
                    used.compareAndSet(
                            false,
                            method.getName().startsWith("prepare")
                                    || method.getName().equals("createStatement"));
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
    }

    private void runAndFail(ConnectionSource connections, Error failure) {
        Dialect dialect = Products.find(workshop.dataSource()::getConnection);
        ShortTransactions transactions = dialect == null
                ? PostgresBoundary.transactions(connections)
                : PlainBoundary.transactions(connections, dialect);
        transactions.run("to write", session -> {
            write(session.connection());
            throw failure;
        });
    }

    @Test
    void errorInTheMiddleCommitsNothing() {
        Error failure = new InternalError("injected");

        assertThatThrownBy(() -> runAndFail(workshop.dataSource()::getConnection, failure))
                .isSameAs(failure);

        assertThat(left()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rollbackThatFailsCommitsNothing(boolean withError) {
        Error failure = new LinkageError("injected");
        Throwable ofRollback = withError ? new InternalError("injected") : new SQLException("injected", "HY000");

        assertThatThrownBy(() -> runAndFail(() -> withBrokenRollback(ofRollback), failure))
                .isSameAs(failure);

        assertThat(left()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void transactionOfMessagesWhoseRollbackFailsCommitsNothing(boolean withError) throws SQLException {
        StoreLab lab = StoreLab.of(workshop.dataSource());
        Throwable ofRollback = withError ? new InternalError("injected") : new SQLException("injected", "HY000");
        Message message = StoreLab.message();
        JdbcStore breaking = JdbcStore.create(broken(ofRollback));
        try (InboxTransaction<JdbcContext> transaction = breaking.begin(StoreLab.IDLE_LIMIT)) {
            write(lab.claimed(transaction, message).connection());
        }

        assertThat(left()).isEmpty();
        assertThat(lab.isNew(message)).isTrue();
    }

    private DataSource broken(Throwable ofRollback) {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> withBrokenRollback(ofRollback));
    }
}
