package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.contract.TransactionsFixture;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Code in a handler that joins its transaction through the framework. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.DeferredParameterIT#servers")
class JoinedWriterIT {
    private static final String WRITE = "INSERT INTO effect (text) VALUES (?)";

    private final DatabaseServer server;
    private final List<Throwable> hidden = new ArrayList<>();
    private final String consumer = "contract " + UUID.randomUUID();

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    private TransactionsFixture<JdbcContext> fixture;

    JoinedWriterIT(DatabaseServer server) {
        this.server = server;
    }

    @BeforeEach
    void open() {
        fixture = SharedStore.boundFixtureOn(server);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private JdbcWriter join() {
        return ((JdbcStore) fixture.store()).join();
    }

    /** What a handler does that writes an effect before and behind. */
    private Kind process(Code code) {
        return Inbox.builder(consumer, fixture.store())
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    join().defer(WRITE, "before");
                    code.run();
                    join().defer(WRITE, "behind");
                })
                .build()
                .process(Message.builder("notes")
                        .id(UUID.randomUUID().toString())
                        .type("note")
                        .payload("x")
                        .build())
                .kind();
    }

    /** Something that a handler does. */
    @FunctionalInterface
    private interface Code {
        void run() throws SQLException;
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = join().connection().createStatement()) {
            statement.execute(sql);
        }
    }

    private void hidden(Code code) {
        Throwable thrown = catchThrowable(code::run);
        if (thrown != null) {
            hidden.add(thrown);
        }
    }

    @Test
    void handlerCannotCommitWhatItJoins() {
        assertThat(process(() -> join().connection().commit())).isEqualTo(Kind.PARKED);
        assertThat(process(() -> execute("COMMIT"))).isEqualTo(Kind.PARKED);
        assertThat(process(() -> join().defer("COMMIT"))).isEqualTo(Kind.PARKED);
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void handlerThatHidesThatItCannotRollBackWhatItJoinsFails() {
        assertThat(process(() -> hidden(() -> join().connection().rollback()))).isEqualTo(Kind.PARKED);
        assertThat(process(() -> hidden(() -> execute("ROLLBACK")))).isEqualTo(Kind.PARKED);
        assertThat(hidden).hasSize(2).hasOnlyElementsOfType(IllegalStateException.class);
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void handlerMayCloseTheConnectionOfWhatItJoins() {
        assertThat(process(() -> join().connection().close())).isEqualTo(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("before", "behind");
    }

    @Test
    void handlerThatHidesAWriteThatCannotBeSentFails() {
        assertThat(process(() -> hidden(() -> join().defer(WRITE, unreadable()))))
                .isEqualTo(Kind.PARKED);
        assertThat(hidden).hasSize(1);
        assertThat(fixture.effects()).isEmpty();
    }

    private static InputStream unreadable() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("of the test");
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return read();
            }
        };
    }
}
