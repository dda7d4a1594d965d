package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.store.InboxTransaction;
import java.io.Reader;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing that a handler reaches from its connection leads to the driver's own, on any database. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
@Tag("A9")
class GuardedObjectsIT {
    private final DatabaseServer server;
    private final StoreLab lab;

    GuardedObjectsIT(DatabaseServer server) {
        this.server = server;
        this.lab = StoreLab.of(server.sharedSchema().dataSource());
    }

    @Test
    void noObjectLeadsToTheDriversConnection() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery("SELECT 1");
            PreparedStatement prepared = connection.prepareStatement("SELECT 1");
            ResultSet preparedRows = prepared.executeQuery();
            DatabaseMetaData metaData = connection.getMetaData();
            ResultSet tables = metaData.getTables(null, null, "%", null);

            Statement inserting = connection.createStatement();
            inserting.execute("INSERT INTO effect (text) VALUES ('guarded')", Statement.RETURN_GENERATED_KEYS);

            assertThat(inserting.getGeneratedKeys().getStatement()).isSameAs(inserting);
            assertThat(rows.getStatement()).isSameAs(statement);
            assertThat(preparedRows.getStatement()).isSameAs(prepared);
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(statement.getResultSet().getStatement().getConnection()).isSameAs(connection);
            assertThat(metaData.getConnection()).isSameAs(connection);
            Statement ofTables = tables.getStatement();
            if (ofTables != null) {
                assertThat(ofTables.getConnection()).isSameAs(connection);
            }
            List<Wrapper> wrappers = List.of(
                    connection, statement, prepared, rows, metaData, rows.getMetaData(), prepared.getMetaData());
            for (Wrapper each : wrappers) {
                assertThat(each.isWrapperFor(Connection.class)).isFalse();
                assertThatThrownBy(() -> each.unwrap(Connection.class)).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> each.unwrap(Object.class)).isInstanceOf(IllegalStateException.class);
            }
            assertThatThrownBy(() -> metaData.getConnection().commit()).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void whatWouldTouchOurSavepointsOrOutliveTheTransactionIsRefused() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction);
            transaction.savepoint();
            Connection connection = context.connection();
            Statement statement = connection.createStatement();
            Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
            calls.put("setHoldability", () -> connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT));
            calls.put("setNetworkTimeout", () -> connection.setNetworkTimeout(Runnable::run, 1_000));
            calls.put("setTypeMap", () -> connection.setTypeMap(Map.of()));
            calls.put("beginRequest", connection::beginRequest);
            calls.put("endRequest", connection::endRequest);
            calls.put("setSavepoint", () -> connection.setSavepoint("pigeonhole"));
            calls.put("SAVEPOINT pigeonhole", () -> statement.execute("SAVEPOINT pigeonhole"));
            calls.put("savepoint Pigeonhole_Guard", () -> statement.execute("savepoint Pigeonhole_Guard"));
            calls.put("RELEASE SAVEPOINT", () -> statement.execute("RELEASE SAVEPOINT \"pigeonhole\""));
            calls.put("ROLLBACK TO", () -> statement.execute("SELECT 1; ROLLBACK TO SAVEPOINT pigeonhole"));
            calls.put("SAVEPOINT `pigeonhole`", () -> context.defer("SAVEPOINT `pigeonhole`"));
            calls.forEach((name, call) -> assertThatThrownBy(call)
                    .as(name)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(name));
            // The rollback that was refused and hidden is the handler's failure; the others change nothing.
            assertThatThrownBy(transaction::endContexts).hasMessageContaining("ROLLBACK TO");
            transaction.rollbackToSavepoint();
            transaction.commit();
        }
    }

    @Test
    void handlerCannotTakeAnEarlierOnesEffectsAlongByTheNameOfItsSavepoint() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Statement first = lab.claimed(transaction).connection().createStatement();
            first.execute("SAVEPOINT mine");
            first.execute("ROLLBACK TO SAVEPOINT mine");
            transaction.endContexts();
            Connection connection = lab.claimed(transaction).connection();
            Statement second = connection.createStatement();

            assertThatThrownBy(() -> second.execute("ROLLBACK TO SAVEPOINT mine"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("earlier handler");
            assertThatThrownBy(() -> connection.prepareStatement("ROLLBACK TO SAVEPOINT MINE"))
                    .isInstanceOf(IllegalStateException.class);
            second.execute("SAVEPOINT mine");
            second.execute("ROLLBACK TO SAVEPOINT mine");
            transaction.commit();
        }
    }

    @Test
    void arraysAndLargeValuesCanStillBeHandedToStatements() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            if (server instanceof PostgresServer) {
                Array array = connection.createArrayOf("text", new String[] {"a", "b"});
                try (PreparedStatement statement = connection.prepareStatement("SELECT CAST(? AS text[])")) {
                    statement.setArray(1, array);
                    ResultSet rows = statement.executeQuery();
                    rows.next();
                    Array answer = rows.getArray(1);
                    assertThat((String[]) answer.getArray()).containsExactly("a", "b");
                    ResultSet elements = answer.getResultSet();
                    assertThat(elements.next()).isTrue();
                    Statement ofElements = elements.getStatement();
                    assertThat(ofElements == null ? connection : ofElements.getConnection())
                            .isSameAs(connection);
                }
            } else {
                Blob blob = connection.createBlob();
                blob.setBytes(1, new byte[] {1, 2, 3});
                try (PreparedStatement statement = connection.prepareStatement("SELECT CAST(? AS BINARY(3))")) {
                    statement.setBlob(1, blob);
                    ResultSet rows = statement.executeQuery();
                    rows.next();
                    assertThat(rows.getBytes(1)).containsExactly(1, 2, 3);
                    assertThat(rows.getBinaryStream(1)).isNotNull();
                }
            }
            transaction.commit();
        }
    }

    @Test
    void whatTheConnectionGaveOutCanBeDeferred() throws SQLException {
        String text = "deferred " + UUID.randomUUID();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction);
            if (server instanceof PostgresServer) {
                Array array = context.connection().createArrayOf("text", new String[] {text});
                context.defer("INSERT INTO effect (text) SELECT unnest(CAST(? AS text[]))", array);
            } else {
                Clob clob = context.connection().createClob();
                clob.setString(1, text);
                context.defer("INSERT INTO effect (text) VALUES (?)", clob);
            }
            transaction.endContexts();
            transaction.commit();
        }
        assertThat(server.sharedSchema().askAll("SELECT text FROM effect WHERE text = ?", text))
                .hasSize(1);
    }

    @Test
    void streamThatTheConnectionGaveOutCannotBeDeferred() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction);
            ResultSet row = context.connection().createStatement().executeQuery("SELECT 'read me'");
            row.next();
            Reader reader = row.getCharacterStream(1);
            assertThatThrownBy(() -> context.defer("INSERT INTO effect (text) VALUES (?)", reader))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("defer its bytes or its text");
            transaction.commit();
        }
    }
}
