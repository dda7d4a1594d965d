package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.jdbc.dialect.MariaDb;
import io.pigeonhole.jdbc.generic.PlainBoundary;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a session keeps where the statement that was to end it is cancelled: nobody may get it from the pool afterwards. */
@Tag("E18")
class CancelledSettingIT {
    private static final int INTERRUPTED = 1317;

    private final Workshop workshop =
            MariaDbServers.all().findFirst().orElseThrow().sharedSchema();

    private HikariDataSource poolThatRefusesOnce(String beginning) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(around(DataSource.class, workshop.dataSource(), beginning, new AtomicBoolean()));
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    private static <T> T around(Class<T> type, T wrapped, String beginning, AtomicBoolean refused) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    boolean meant = method.getName().equals("execute")
                            && String.valueOf(arguments[0]).startsWith(beginning);
                    if (meant && refused.compareAndSet(false, true)) {
                        throw new SQLException("Query execution was interrupted", "70100", INTERRUPTED);
                    }
                    try {
                        return wrap(method.invoke(wrapped, arguments), beginning, refused);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static @Nullable Object wrap(@Nullable Object answer, String beginning, AtomicBoolean refused) {
        if (answer instanceof Connection connection) {
            return around(Connection.class, connection, beginning, refused);
        }
        return answer != null && answer.getClass().getSimpleName().equals("Statement")
                ? around(Statement.class, (Statement) answer, beginning, refused)
                : answer;
    }

    private static String ask(HikariDataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void sessionThatHasLockedTheHistoryIsNotUsedAgain() throws SQLException {
        try (HikariDataSource pool = poolThatRefusesOnce("UNLOCK TABLES")) {
            String session = ask(pool, "SELECT CONNECTION_ID()");
            MariaDb dialect = new MariaDb();
            ShortTransactions transactions = PlainBoundary.transactions(pool::getConnection, dialect);

            assertThatThrownBy(() -> transactions.withAutoCommit(dialect::awaitHistoryWriters))
                    .hasMessageContaining("interrupted");

            assertThat(ask(pool, "SELECT CONNECTION_ID()")).isNotEqualTo(session);
            assertThat(ask(pool, "SELECT COUNT(*) >= 0 FROM inbox_ledger")).isEqualTo("1");
        }
    }

    @Test
    void sessionThatHasLockedTheSchemaIsNotUsedAgain() throws SQLException {
        try (HikariDataSource pool = poolThatRefusesOnce("SET @pigeonhole_mode")) {
            assertThatThrownBy(() -> Schema.apply(pool)).hasStackTraceContaining("interrupted");

            assertThat(ask(pool, "SELECT IS_FREE_LOCK(CONCAT('pigeonhole ', MD5(DATABASE())))"))
                    .isEqualTo("1");
        }
    }
}
