package io.pigeonhole.jdbc.generic;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.dialect.MariaDb;
import io.pigeonhole.jdbc.dialect.SessionStatement;
import io.pigeonhole.jdbc.sql.StoreSchema;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionStatementsTest {
    private final List<Object> executed = new ArrayList<>();
    private final SessionStatements statements = new SessionStatements(new MariaDb());

    private <T> T recording(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                SessionStatementsTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    executed.add(arguments[0]);
                    return false;
                }));
    }

    private boolean execute(String schema) throws SQLException {
        Connection bound = StoreSchema.named(schema, "`").bind(recording(Connection.class));
        return statements.execute(
                bound, recording(Statement.class), new SessionStatement("", "SELECT 1 FROM inbox_work"), "");
    }

    /** What it stands for in a string depends on the session. */
    @Test
    void schemaWithABackslashInItsNameHasNone() throws SQLException {
        assertThat(execute("a\\b")).isFalse();
        assertThat(executed).isEmpty();
        assertThat(statements.areRefused()).isTrue();
    }

    @Test
    void otherSchemasHave() throws SQLException {
        assertThat(execute("it's \"so\"")).isTrue();
        assertThat(executed).singleElement().asString().startsWith("EXECUTE pigeonhole_");
        assertThat(statements.areRefused()).isFalse();
    }
}
