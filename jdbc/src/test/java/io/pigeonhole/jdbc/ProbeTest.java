package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.jdbc.sql.Probe;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProbeTest {
    /** Behind it the driver refuses everything, which says less. */
    @Test
    void errorOfTheQuestionIsTheReason() {
        boolean[] isLost = {false};
        Statement statement = proxy(Statement.class, method -> {
            if (method.equals("executeQuery")) {
                isLost[0] = true;
                throw new SQLException("terminated by an administrator", "57P01");
            }
            return null;
        });
        Connection connection = proxy(Connection.class, method -> {
            switch (method) {
                case "createStatement" -> {
                    return statement;
                }
                case "getAutoCommit" -> {
                    return false;
                }
                case "setAutoCommit" -> {
                    if (isLost[0]) {
                        throw new SQLException("the connection is closed");
                    }
                    return null;
                }
                default -> {
                    return null;
                }
            }
        });
        assertThatThrownBy(() -> Probe.run(() -> connection, "SELECT true", "no primary", Probe.SECONDS))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("terminated by an administrator");
    }

    /** Answers a call. */
    @FunctionalInterface
    private interface Answer {
        @Nullable
        Object to(String method) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(method.getName())));
    }
}
