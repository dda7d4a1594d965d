package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.LogPosition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.Watermark;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Transactions of a framework in which nothing is claimed, on databases whose COMMIT succeeds with nothing behind a deadlock that a
 * callback within the commit has met and hidden; here it rolls back.
 */
@ParameterizedClass
@MethodSource("servers")
class MarkedTransactionIT {
    private final Workshop workshop;
    private final ThreadBoundTransactions framework;
    private final JdbcStore store;
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicInteger calls = new AtomicInteger();
    private final List<Kind> told = new ArrayList<>();

    MarkedTransactionIT(DatabaseServer server) {
        workshop = server.schema();
        framework = new ThreadBoundTransactions(workshop.dataSource());
        store = JdbcStore.builder(workshop.dataSource()).transactions(framework).build();
    }

    static Stream<DatabaseServer> servers() {
        return Stream.concat(MariaDbServers.all().limit(1), Stream.of(H2Server.FILES));
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private InboxBuilder<JdbcContext> inbox() {
        return Inbox.builder("it", store).retry(RetryPolicy.never()).listener(new InboxListener() {
            @Override
            public void onOutcome(String consumer, Message message, Outcome outcome) {
                told.add(outcome.kind());
            }
        });
    }

    private void write(String text) throws SQLException {
        calls.incrementAndGet();
        execute("INSERT INTO effect (text) VALUES ('" + text + "')");
    }

    private void execute(String sql) throws SQLException {
        SessionLab.execute(framework.bound().connection(), sql);
    }

    private void rollBackWithinCommit() {
        framework.bound().withinCommit(() -> {
            try {
                execute("ROLLBACK");
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
    }

    private void rollBackWithinFirstCommit() {
        if (done.compareAndSet(false, true)) {
            rollBackWithinCommit();
        }
    }

    private List<String> effects() {
        return workshop.askAll("SELECT text FROM effect ORDER BY place");
    }

    private void assertLedgerHas(int keys) {
        assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo(String.valueOf(keys));
    }

    @Test
    void workThatIsRolledBackWithinTheCommitIsNotTakenForDone() {
        Inbox<JdbcContext> inbox = inbox().handle("note", PayloadDecoder.text(), (payload, context) -> {
                    write(payload);
                    rollBackWithinFirstCommit();
                })
                .build();
        inbox.receive(messages("first", "second"));
        inbox.work();
        assertThat(effects()).containsExactlyInAnyOrder("first", "second");
        told.removeIf(kind -> kind != Kind.PROCESSED);
        assertThat(told).hasSize(2);
        assertLedgerHas(2);
    }

    @Test
    void workThatIsRolledBackWithinTheCommitEachTimeFails() {
        Inbox<JdbcContext> inbox = inbox().handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (calls.get() > 20) {
                        throw new IllegalStateException("this goes on for ever");
                    }
                    write(payload);
                    if (payload.equals("second")) {
                        rollBackWithinCommit();
                    }
                })
                .build();
        inbox.receive(messages("first", "second", "third"));
        inbox.work();
        assertThat(effects()).containsExactlyInAnyOrder("first", "third");
        assertThat(workshop.ask("SELECT detail FROM inbox_dead_letter")).contains("within the commit");
        assertLedgerHas(3);
    }

    /** The mark of the transaction may be gone back to, or not. */
    @ParameterizedTest
    @ValueSource(strings = {"first", "second", "third"})
    void workOfWhichOneMessageFailsIsDone(String bad) {
        Inbox<JdbcContext> inbox = inbox().handle("note", PayloadDecoder.text(), (payload, context) -> {
                    write(payload);
                    if (payload.equals(bad)) {
                        throw new IllegalStateException("bad");
                    }
                })
                .build();
        inbox.receive(messages("first", "second", "third"));
        inbox.work();
        assertThat(effects()).hasSize(2).doesNotContain(bad);
        assertThat(workshop.ask("SELECT detail FROM inbox_dead_letter")).contains("bad");
        assertThat(workshop.askAll("SELECT id FROM inbox_work")).isEmpty();
        assertLedgerHas(3);
    }

    /** The mark of the transaction went with the handler's savepoint, and the message behind it has to wait. */
    @Test
    void failureThatIsRolledBackWithinTheCommitIsNotTakenForRecorded() {
        Inbox<JdbcContext> inbox = inbox().order(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    write(payload);
                    rollBackWithinCommit();
                    if (calls.get() > 2) {
                        throw new IllegalStateException("bad");
                    }
                })
                .build();
        inbox.receive(List.of(ofOneKey("first"), ofOneKey("second")));
        inbox.work();
        assertThat(effects()).isEmpty();
        told.removeIf(kind -> kind != Kind.DEAD);
        assertThat(workshop.askAll("SELECT detail FROM inbox_dead_letter"))
                .isNotEmpty()
                .hasSameSizeAs(told);
    }

    private static Message ofOneKey(String payload) {
        return Message.builder("notes")
                .type("note")
                .id(UUID.randomUUID().toString())
                .orderingKey("one")
                .payload(payload)
                .build();
    }

    @Test
    void workThatAHandlerCommitsPastTheGuardIsNamed() {
        Inbox<JdbcContext> inbox = inbox().handle("note", PayloadDecoder.text(), (payload, context) -> {
                    write(payload);
                    if (payload.equals("second")) {
                        execute("COMMIT");
                    }
                })
                .build();
        inbox.receive(messages("first", "second", "third"));
        assertThatThrownBy(inbox::work)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("a handler ended the transaction by itself");
    }

    @Test
    void workThatAHandlerCommitsThroughItsFrameworkIsNamed() {
        Inbox<JdbcContext> inbox = inbox().handle("note", PayloadDecoder.text(), (payload, context) -> {
                    write(payload);
                    framework.bound().commit();
                })
                .build();
        inbox.receive(messages("first"));
        assertThatThrownBy(inbox::work)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("a handler ended the transaction by itself");
    }

    @Test
    void watermarkThatIsRolledBackWithinTheCommitIsNotTakenForMoved() {
        Inbox<JdbcContext> inbox = inbox().deduplication(Deduplication.WATERMARKS)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    write(payload);
                    rollBackWithinFirstCommit();
                })
                .build();
        LogPartition partition = new LogPartition("notes", 0);
        Watermark taken = inbox.forSources().acquire(partition, "log:0f1e2d3c");
        Watermark owner = taken.hasPosition() ? taken : inbox.forSources().beginAt(taken, 0);
        assertThat(kinds(inbox.process(List.of(at(owner, 0))))).containsExactly(Kind.PROCESSED);
        assertThat(kinds(inbox.process(List.of(at(owner, 1))))).containsExactly(Kind.PROCESSED);
        assertThat(effects()).containsExactly("at 0", "at 1");
        assertLedgerHas(0);
    }

    private static Message at(Watermark owner, long offset) {
        return Message.builder(owner.partition().source())
                .type("note")
                .payload("at " + offset)
                .logPosition(new LogPosition(
                        owner.log(), owner.partition().partition(), offset, 2, owner.assignment(), offset))
                .build();
    }

    @Test
    void replayThatIsRolledBackWithinTheCommitIsNotTakenForDone() {
        Inbox<JdbcContext> inbox = inbox().history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        inbox.process(messages("first", "second", "third"));
        Replay<JdbcContext> replay = Replay.builder("again", "it", store, new Author("ann", "a projection anew"))
                .into(PayloadDecoder.text(), (payload, context) -> {
                    write(payload);
                    rollBackWithinFirstCommit();
                })
                .build();
        ReplayProgress run = replay.run();
        assertThat(run.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(effects()).containsExactlyInAnyOrder("first", "second", "third");
        assertThat(workshop.ask("SELECT state FROM inbox_replay")).isEqualTo("FINISHED");
        assertLedgerHas(3);
    }

    @Test
    void resultOfAnExternalHandlerThatIsRolledBackWithinTheCommitIsNotTakenForWritten() {
        Inbox<JdbcContext> inbox = inbox().handleExternal(
                        "note", PayloadDecoder.text(), (payload, context) -> database -> {
                            write(payload);
                            rollBackWithinFirstCommit();
                        })
                .build();
        inbox.process(messages("only"));
        inbox.work();
        assertThat(effects()).containsExactly("only");
        assertThat(workshop.askAll("SELECT id FROM inbox_work")).isEmpty();
    }
}
