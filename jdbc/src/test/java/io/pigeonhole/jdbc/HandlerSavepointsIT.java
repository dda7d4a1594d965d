package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.execute;
import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.retry.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler's own savepoints touch neither another handler's effects nor what was deferred before them, on any database. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
class HandlerSavepointsIT {
    private static final String EFFECTS = "SELECT text FROM effect ORDER BY text";

    private final DatabaseServer server;
    private final Workshop workshop;
    private final JdbcStore store;
    private final String consumer = "savepoints " + UUID.randomUUID();

    HandlerSavepointsIT(DatabaseServer server) {
        this.server = server;
        this.workshop = server.sharedSchema();
        this.store = JdbcStore.create(workshop.dataSource());
    }

    @BeforeEach
    void empty() {
        workshop.execute("DELETE FROM effect");
        workshop.execute("DELETE FROM inbox_work");
    }

    private Inbox<JdbcContext> inbox(Handler<String, JdbcContext> handler) {
        return Inbox.builder(consumer, store)
                .handle(SessionLab.TYPE, PayloadDecoder.text(), handler)
                .build();
    }

    private static void fail(JdbcContext context) {
        assertThatThrownBy(() -> execute(context, "INSERT INTO there_is_no_such_table VALUES (1)"))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void deferredWriteStaysWhenItsHandlerGoesBackToALaterSavepoint() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            Connection connection = context.connection();
            context.deferExpecting(1, "INSERT INTO effect (text) VALUES (?)", payload);
            Savepoint savepoint = connection.setSavepoint("mine");
            fail(context);
            connection.rollback(savepoint);
        });
        assertThat(kinds(inbox.process(messages("one", "two")))).containsOnly(Kind.PROCESSED);
        assertThat(workshop.askAll(EFFECTS)).containsExactly("one", "two");
    }

    @ParameterizedTest
    @ValueSource(strings = {"unnamed", "execute", "prepared", "batch"})
    void everyWayToSetASavepointSendsWhatIsDeferredFirst(String way) {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            Connection connection = context.connection();
            Statement statement = connection.createStatement();
            PreparedStatement prepared = connection.prepareStatement("SAVEPOINT mine");
            statement.addBatch("SAVEPOINT mine");
            context.deferExpecting(1, "INSERT INTO effect (text) VALUES (?)", payload);
            switch (way) {
                case "unnamed" -> {
                    Savepoint savepoint = connection.setSavepoint();
                    fail(context);
                    connection.rollback(savepoint);
                    return;
                }
                case "prepared" -> prepared.execute();
                case "batch" -> statement.executeBatch();
                default -> statement.execute("/* from here on */ SAVEPOINT mine");
            }
            fail(context);
            connection.createStatement().execute("ROLLBACK TO SAVEPOINT mine");
        });
        assertThat(kinds(inbox.process(messages("one", "two")))).containsOnly(Kind.PROCESSED);
        assertThat(workshop.askAll(EFFECTS)).containsExactly("one", "two");
    }

    @Test
    void savepointOfOneMessageLeavesTheDeferredWritesOfTheOthers() {
        Inbox<JdbcContext> inbox = Inbox.builder(consumer, store)
                .handleBatch(SessionLab.TYPE, PayloadDecoder.text(), deliveries -> {
                    Connection connection = deliveries.get(0).context().connection();
                    for (var each : deliveries) {
                        Savepoint savepoint = connection.setSavepoint("each");
                        if (each.payload().equals("bad")) {
                            fail(each.context());
                            connection.rollback(savepoint);
                        } else {
                            each.context().deferExpecting(1, "INSERT INTO effect (text) VALUES (?)", each.payload());
                        }
                    }
                })
                .build();
        assertThat(kinds(inbox.process(messages("good 1", "good 2", "bad", "good 3"))))
                .containsOnly(Kind.PROCESSED);
        assertThat(workshop.askAll(EFFECTS)).containsExactly("good 1", "good 2", "good 3");
    }

    @Test
    void writeThatWasDeferredBehindASavepointGoesWithIt() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            Connection connection = context.connection();
            context.defer("INSERT INTO effect (text) VALUES (?)", "before");
            Savepoint savepoint = connection.setSavepoint();
            context.deferExpecting(1, "INSERT INTO effect (text) VALUES (?)", "between");
            connection.rollback(savepoint);
            context.defer("INSERT INTO effect (text) VALUES (?)", "then");
        });
        assertThat(kinds(inbox.process(messages("one")))).containsOnly(Kind.PROCESSED);
        assertThat(workshop.askAll(EFFECTS)).containsExactly("before", "then");
    }

    @Test
    void rollbackToASavepointThatFailsLosesNothingThatWasDeferred() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            Connection connection = context.connection();
            execute(connection, "SAVEPOINT mine");
            PreparedStatement back = connection.prepareStatement("ROLLBACK TO SAVEPOINT mine");
            execute(connection, "INSERT INTO effect (text) VALUES ('direct " + payload + "')");
            context.defer("INSERT INTO effect (text) VALUES (?)", "deferred " + payload);
            if (payload.equals("bad")) {
                back.close();
                assertThatThrownBy(back::execute).isInstanceOf(SQLException.class);
            }
        });
        List<Outcome> outcomes = inbox.process(messages("good", "bad"));
        assertThat(kinds(outcomes)).containsExactly(Kind.PROCESSED, Kind.PARKED);
        assertThat(workshop.askAll(EFFECTS)).containsExactly("deferred good", "direct good");
        assertThat(workshop.ask("SELECT last_error FROM inbox_work")).contains("a rollback to a savepoint failed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAVEPOINT mine", "ROLLBACK TO SAVEPOINT mine", "RELEASE SAVEPOINT mine"})
    void savepointsAreNotDeferred(String sql) {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            execute(context, "SAVEPOINT mine");
            assertThatThrownBy(() -> context.defer(sql))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("on the connection");
            execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
        });
        // It hides the refusal: only who wanted to go back takes for rolled back what is not.
        boolean goesBack = sql.startsWith("ROLLBACK");
        assertThat(kinds(inbox.process(messages("one")))).containsOnly(goesBack ? Kind.PARKED : Kind.PROCESSED);
        assertThat(workshop.askAll(EFFECTS)).isEqualTo(goesBack ? List.of() : List.of("one"));
    }

    /** What a handler does, and hides what it throws. */
    @FunctionalInterface
    private interface Hidden {
        void run(Connection connection) throws SQLException;
    }

    private void assertThatWhoHidesFails(Hidden hidden) {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            execute(context, "SAVEPOINT mine", "INSERT INTO effect (text) VALUES ('" + payload + "')");
            if (payload.equals("bad")) {
                assertThatThrownBy(() -> hidden.run(context.connection()))
                        .isInstanceOfAny(SQLException.class, IllegalStateException.class);
            }
        });
        assertThat(kinds(inbox.process(messages("good", "bad")))).containsExactly(Kind.PROCESSED, Kind.PARKED);
        assertThat(workshop.askAll(EFFECTS)).containsExactly("good");
    }

    @Test
    void rollbackToASavepointThatFailsIsTheFailureOfWhoHidesIt() {
        assertThatWhoHidesFails(connection -> {
            PreparedStatement back = connection.prepareStatement("ROLLBACK TO SAVEPOINT mine");
            back.close();
            back.execute();
        });
    }

    @Test
    void rollbackToAReleasedSavepointIsTheFailureOfWhoHidesIt() {
        assertThatWhoHidesFails(connection -> {
            Savepoint released = connection.setSavepoint("released");
            connection.releaseSavepoint(released);
            connection.rollback(released);
        });
    }

    /** Nothing says whether the database went back. */
    @Test
    void batchThatFailsBeforeItsRollbackIsTheFailureOfWhoHidesIt() {
        assertThatWhoHidesFails(connection -> {
            Statement statement = connection.createStatement();
            statement.addBatch("SAVEPOINT another");
            statement.addBatch("INSERT INTO there_is_no_such_table VALUES (1)");
            statement.addBatch("ROLLBACK TO SAVEPOINT another");
            statement.executeBatch();
        });
    }

    /** MariaDB has one savepoint of each name, and takes the word of a name that is used again for the new one. */
    @Test
    void rollbackToASavepointOfAReusedNameEndsInNoEffectWhereItFails() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            execute(context, "SAVEPOINT mine", "INSERT INTO effect (text) VALUES ('" + payload + "')");
            execute(context, "SAVEPOINT mine", "RELEASE SAVEPOINT mine");
            try {
                execute(context, "ROLLBACK TO SAVEPOINT mine");
            } catch (SQLException e) {
                // Hidden.
            }
        });
        inbox.process(messages("one"));
        if (server instanceof MariaDbServer) {
            assertThat(workshop.askAll(EFFECTS)).isEmpty();
            assertThat(workshop.ask("SELECT last_error FROM inbox_work")).contains("a rollback to a savepoint failed");
        }
    }

    @Test
    void refusedRollbackIsTheFailureOfWhoHidesIt() {
        String[] rollbacks = {
            "ROLLBACK",
            "(ROLLBACK)",
            "{ROLLBACK}",
            "\u00a0ROLLBACK",
            "BEGIN NOT ATOMIC ROLLBACK; END",
            "EXECUTE IMMEDIATE 'ROLLBACK'",
            "PREPARE back FROM 'ROLLBACK'",
            "XA ROLLBACK 'mine'"
        };
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            execute(context, "INSERT INTO effect (text) VALUES ('bad')");
            assertThatThrownBy(() -> execute(context, payload))
                    .isInstanceOfAny(SQLException.class, IllegalStateException.class);
        });
        assertThat(kinds(inbox.process(messages(rollbacks))))
                .hasSize(rollbacks.length)
                .containsOnly(Kind.PARKED);
        assertThat(workshop.askAll(EFFECTS)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SAVEPOINT s| RELEASE SAVEPOINT s| ROLLBACK TO SAVEPOINT s",
                "ROLLBACK /* now */ TO SAVEPOINT s",
                "ROLLBACK TO /* it */ s",
                "-- the old SAVEPOINT s \n SELECT 1| ROLLBACK TO SAVEPOINT s",
                "SELECT 'SAVEPOINT s'| ROLLBACK TO SAVEPOINT s",
                "SAVEPOINT o| SAVEPOINT s| ROLLBACK TO SAVEPOINT o| ROLLBACK TO SAVEPOINT s"
            })
    void noWayLeadsToTheSavepointOfAnEarlierHandler(String way) {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            if (payload.equals("second")) {
                execute(context, way.split("\\|", -1));
            } else {
                execute(context, "SAVEPOINT s");
            }
            execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
        });
        assertThat(kinds(inbox.process(messages("first", "second")))).containsExactly(Kind.PROCESSED, Kind.PARKED);
        assertThat(workshop.askAll(EFFECTS)).containsExactly("first");
    }

    @Test
    void savepointThatWasOnlyPreparedOrFailedIsNone() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            Connection connection = context.connection();
            if (payload.equals("second")) {
                connection.prepareStatement("SAVEPOINT s").close();
                connection.createStatement().addBatch("SAVEPOINT s");
                Savepoint named = connection.setSavepoint("t");
                connection.releaseSavepoint(named);
                assertThatThrownBy(() -> execute(context, "ROLLBACK TO SAVEPOINT s"))
                        .isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> execute(context, "ROLLBACK TO SAVEPOINT \"t\""))
                        .isInstanceOf(IllegalStateException.class);
            } else {
                execute(context, "SAVEPOINT s");
                connection.setSavepoint("t");
            }
            execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
        });
        // It hides that it was refused, and so takes for rolled back what is not.
        assertThat(kinds(inbox.process(messages("first", "second")))).containsExactly(Kind.PROCESSED, Kind.PARKED);
        assertThat(workshop.askAll(EFFECTS)).containsExactly("first");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO effect (text) VALUES ('asked for a rollback to 2.1')",
                "-- rollback to the old price\nINSERT INTO effect (text) VALUES ('x')",
                "/* savepoint pigeonhole */ INSERT INTO effect (text) VALUES ('x')",
                "INSERT INTO effect (text) VALUES ('; rollback to savepoint pigeonhole 7')",
                "INSERT INTO effect (text) VALUES ('moved to pigeonhole 7')"
            })
    void wordsInCommentsAndStringsAreNotRefused(String sql) {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> execute(context, sql));
        assertThat(kinds(inbox.process(messages("one")))).containsOnly(Kind.PROCESSED);
        assertThat(workshop.askAll(EFFECTS)).hasSize(1);
    }

    /** On PostgreSQL it would release the savepoints above it too, and the handler's way back would be that of the earlier one. */
    @Test
    void handlerThatReleasesASavepointOfAnEarlierOneDoesNotTakeItsEffectsAlong() {
        Inbox<JdbcContext> inbox = Inbox.builder(consumer, store)
                .retry(RetryPolicy.never())
                .handle(SessionLab.TYPE, PayloadDecoder.text(), (payload, context) -> {
                    execute(context, "SAVEPOINT whole_order");
                    execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                    if (payload.equals("one")) {
                        execute(context, "SAVEPOINT item");
                        execute(context, "SAVEPOINT item");
                    }
                    execute(context, "RELEASE SAVEPOINT item");
                    if (payload.equals("two")) {
                        execute(context, "ROLLBACK TO SAVEPOINT whole_order");
                    }
                })
                .build();
        assertThat(kinds(inbox.process(messages("one", "two")))).containsExactly(Kind.PROCESSED, Kind.DEAD);
        assertThat(workshop.askAll(EFFECTS)).containsExactly("one");
    }
}
