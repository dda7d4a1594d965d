package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.InboxTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server may say what is wrong in any language ({@code lc_messages}): what an error means follows from its SQLSTATE and its
 * code. The machines that run the tests have no locale but English, so the texts are replaced on their way from the driver.
 */
@Tag("F13")
class ErrorsInAnotherLanguageIT {
    private final AtomicInteger translated = new AtomicInteger();

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void duplicatesAndFailuresAreRecognised(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            workshop.execute("CREATE TABLE paid (id VARCHAR(20) PRIMARY KEY)");
            JdbcStore store = JdbcStore.create(translating(DataSource.class, workshop.dataSource()));
            Inbox<JdbcContext> inbox = Inbox.builder("payments", store)
                    .retry(RetryPolicy.fixed(Duration.ofHours(1)))
                    .handle("payment", PayloadDecoder.text(), (payment, context) -> pay(context, payment))
                    .build();
            // So many that the next claims take their keys for new.
            for (int i = 0; i < 120; i++) {
                inbox.process(List.of(message("a" + i, "a" + i), message("b" + i, "b" + i)));
            }

            assertThat(kinds(inbox.process(List.of(message("a1", "a1"), message("new", "new")))))
                    .containsExactly(Outcome.Kind.DUPLICATE, Outcome.Kind.PROCESSED);
            assertThat(inbox.process(message("a2", "a2")).kind()).isEqualTo(Outcome.Kind.DUPLICATE);
            assertThat(kinds(inbox.process(List.of(
                            message("paid twice", "a3"),
                            message("too long", "x".repeat(99)),
                            message("good", "good")))))
                    .containsExactly(Outcome.Kind.PARKED, Outcome.Kind.DEAD, Outcome.Kind.PROCESSED);
            assertThat(translated).hasPositiveValue();
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void messageOfAnotherOpenTransactionIsBusy(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(translating(DataSource.class, workshop.dataSource()));
            Message message = Message.builder("notes")
                    .id("a note")
                    .type("note")
                    .payload("x")
                    .build();
            Inbox<JdbcContext> inbox = Inbox.builder(lab.consumer().name(), lab.store())
                    .handle("note", PayloadDecoder.text(), (note, context) -> {})
                    .build();
            try (InboxTransaction<JdbcContext> open = lab.begin()) {
                lab.claimed(open, message);
                assertThat(inbox.process(message).kind()).isEqualTo(Outcome.Kind.BUSY);
            }
            assertThat(inbox.process(message).kind()).isEqualTo(Outcome.Kind.PROCESSED);
            assertThat(translated).hasPositiveValue();
        }
    }

    private static void pay(JdbcContext context, String payment) throws SQLException {
        try (PreparedStatement insert = context.connection().prepareStatement("INSERT INTO paid VALUES (?)")) {
            insert.setString(1, payment);
            insert.executeUpdate();
        }
    }

    private static List<Outcome.Kind> kinds(List<Outcome> outcomes) {
        return outcomes.stream().map(Outcome::kind).toList();
    }

    private static Message message(String id, String payload) {
        return Message.builder("shop").id(id).type("payment").payload(payload).build();
    }

    /** Everything that the data source gives out, with the texts of its errors replaced. */
    private <T> T translating(Class<T> type, Object wrapped) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return wrap(method.getReturnType(), method.invoke(wrapped, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause() instanceof SQLException failure ? translated(failure) : e.getCause();
                    }
                }));
    }

    private @Nullable Object wrap(Class<?> type, @Nullable Object answer) {
        boolean throwing = Connection.class.isAssignableFrom(type) || Statement.class.isAssignableFrom(type);
        return throwing && answer != null ? translating(type, answer) : answer;
    }

    private SQLException translated(SQLException failure) {
        translated.incrementAndGet();
        String text = "Hier steht etwas auf Deutsch";
        SQLException next = failure.getNextException();
        SQLException said = failure instanceof BatchUpdateException batch
                ? new BatchUpdateException(text, batch.getSQLState(), batch.getErrorCode(), batch.getUpdateCounts())
                : new SQLException(text, failure.getSQLState(), failure.getErrorCode());
        if (next != null) {
            said.setNextException(translated(next));
        }
        if (failure.getCause() instanceof SQLException cause) {
            said.initCause(translated(cause));
        }
        return said;
    }
}
