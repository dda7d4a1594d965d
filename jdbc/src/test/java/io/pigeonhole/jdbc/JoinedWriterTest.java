package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.jdbc.dialect.SqlStates;
import io.pigeonhole.jdbc.outbox.AppendListeners;
import io.pigeonhole.jdbc.outbox.Appends;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.transaction.JoinedWriter;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JoinedWriterTest {
    private final List<String> calls = new ArrayList<>();
    private Throwable thrown = new IllegalStateException("not set");
    private final PreparedStatement statement = fake(PreparedStatement.class, method -> null);
    private final Connection connection =
            fake(Connection.class, method -> method.equals("prepareStatement") ? statement : null);

    private final JdbcWriter writer = JoinedWriter.of(
            new JoinedTransaction() {
                @Override
                public Connection connection() {
                    return connection;
                }

                @Override
                public void afterCommit(Runnable action) {
                    throw new UnsupportedOperationException();
                }
            },
            SqlStates.ERRORS,
            Appends.of(new Statements(List.of()), null, new AppendListeners()));

    private <T> T fake(Class<T> type, Function<String, @Nullable Object> answers) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    if (method.getName().equals("execute")) {
                        throw thrown;
                    }
                    return answers.apply(method.getName());
                }));
    }

    @Test
    void connectionToWhichAWriteWasSentInPartIsEnded() {
        thrown = new IllegalStateException("of a parameter");
        assertThatThrownBy(() -> writer.defer("INSERT")).isInstanceOf(StoreException.class);
        assertThat(calls).contains("abort");
    }

    @Test
    void connectionOnWhichTheDatabaseRefusedAWriteIsTheCallersToEnd() {
        thrown = new SQLException("refused", "23505");
        assertThatThrownBy(() -> writer.defer("INSERT")).isInstanceOf(StoreException.class);
        assertThat(calls).doesNotContain("abort");
    }
}
