package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.sql.NetworkLimit;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkLimitTest {
    private final List<String> calls = new ArrayList<>();

    private Connection connection(String unsupported, int own) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(unsupported)) {
                        throw new SQLFeatureNotSupportedException(unsupported);
                    }
                    if (method.getName().equals("setNetworkTimeout")) {
                        calls.add("limit " + arguments[1]);
                    }
                    return own;
                });
    }

    private String work(Connection connection) {
        calls.add("work");
        return "done by " + connection.getClass().getSimpleName();
    }

    @ParameterizedTest
    @ValueSource(strings = {"getNetworkTimeout", "setNetworkTimeout"})
    void driverWithoutSuchALimitWorksWithoutOne(String unsupported) throws SQLException {
        assertThat(NetworkLimit.within(NetworkLimit.USUAL, connection(unsupported, 0), this::work))
                .startsWith("done");
        assertThat(calls).containsExactly("work");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 30_000})
    void connectionHasItsOwnLimitAgainAfterwards(int own) throws SQLException {
        NetworkLimit.within(NetworkLimit.USUAL, connection("none", own), this::work);
        assertThat(calls).containsExactly("limit 10000", "work", "limit " + own);
    }

    @Test
    void shorterLimitStays() throws SQLException {
        NetworkLimit.within(NetworkLimit.USUAL, connection("none", 3_000), this::work);
        assertThat(calls).containsExactly("work");
    }
}
