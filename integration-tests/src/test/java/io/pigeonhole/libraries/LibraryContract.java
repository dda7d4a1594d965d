package io.pigeonhole.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.H2Server;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.MariaDbServers;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Workshop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holds of a handler, whichever library it uses on its connection: its effect is exactly once, and only we end it. */
abstract class LibraryContract {
    private static final long BALANCE = 100;

    private final Workshop database;
    private final JdbcStore store;
    private final String account = UUID.randomUUID().toString();
    private final List<Throwable> thrown = new ArrayList<>();

    LibraryContract(DatabaseServer server) {
        this.database = server.sharedSchema();
        this.store = JdbcStore.create(database.dataSource());
        database.execute("CREATE TABLE IF NOT EXISTS account (id varchar(36) PRIMARY KEY, balance bigint NOT NULL)");
    }

    /** For {@code @MethodSource}. */
    static Stream<DatabaseServer> databases() {
        return Stream.of(PostgresServers.embedded(), MariaDbServers.embedded(), H2Server.FILES);
    }

    /** Takes the amount from the account with the library, and fails where the account has not had so much. */
    abstract void pay(Payment payment, JdbcContext context) throws Exception;

    /** The library's ways to commit. */
    abstract Map<String, Handler<Payment, JdbcContext>> commits();

    /** The library's ways to roll back. */
    abstract Map<String, Handler<Payment, JdbcContext>> rollbacks();

    @BeforeEach
    void openAccount() {
        database.execute("INSERT INTO account (id, balance) VALUES (?, ?)", account, BALANCE);
    }

    @Test
    void effectHappensOnceHoweverOftenTheMessageComes() {
        Message message = Payment.message(account, 30);
        Inbox<JdbcContext> inbox = inbox(this::pay);

        assertThat(inbox.process(message)).as("%s", thrown).isEqualTo(new Outcome.Processed());
        assertThat(inbox.process(message)).isEqualTo(new Outcome.Duplicate());

        assertThat(balance()).isEqualTo(BALANCE - 30);
    }

    @Test
    void failureRollsBackWhatTheLibraryWrote() {
        Inbox<JdbcContext> inbox = inbox(this::pay);

        assertThat(inbox.process(Payment.message(account, BALANCE + 1))).isInstanceOf(Outcome.Parked.class);

        assertThat(causes()).anyMatch(cause -> ("" + cause.getMessage()).contains("has not got"));
        assertThat(balance()).isEqualTo(BALANCE);
    }

    @Test
    void messageThatFailsCostsNoOtherOfItsBatchItsEffect() {
        List<Outcome> outcomes = inbox(this::pay)
                .process(List.of(
                        Payment.message(account, 10),
                        Payment.message(account, BALANCE + 1),
                        Payment.message(account, 20)));

        assertThat(outcomes)
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.PARKED, Outcome.Kind.PROCESSED);
        assertThat(balance()).isEqualTo(BALANCE - 30);
    }

    @Test
    void libraryMayNotCommitAndIsToldWhyAndWhatToDo() {
        SoftAssertions softly = new SoftAssertions();
        commits().forEach((name, commit) -> {
            thrown.clear();
            Outcome outcome = inbox(commit).process(Payment.message(account, 30));

            softly.assertThat(outcome).as(name).isInstanceOf(Outcome.Parked.class);
            softly.assertThat(causes())
                    .as(name)
                    .anyMatch(cause -> cause instanceof IllegalStateException
                            && ("" + cause.getMessage()).contains("the engine commits")
                            && ("" + cause.getMessage()).contains("docs/libraries.md"));
            softly.assertThat(balance()).as(name).isEqualTo(BALANCE);
        });
        softly.assertAll();
    }

    @Test
    void libraryMayNotRollBackAndIsToldWhyAndWhatToDo() {
        SoftAssertions softly = new SoftAssertions();
        rollbacks().forEach((name, rollback) -> {
            thrown.clear();
            Outcome outcome = inbox(rollback).process(Payment.message(account, 30));

            softly.assertThat(outcome).as(name).isInstanceOf(Outcome.Parked.class);
            softly.assertThat(causes())
                    .as(name)
                    .anyMatch(cause -> cause instanceof IllegalStateException
                            && ("" + cause.getMessage()).contains("throw an exception to roll back"));
            softly.assertThat(balance()).as(name).isEqualTo(BALANCE);
        });
        softly.assertAll();
    }

    @Test
    void refusedRollbackThatTheHandlerHidesCommitsNothing() {
        SoftAssertions softly = new SoftAssertions();
        rollbacks().forEach((name, rollback) -> {
            Outcome outcome = inbox((payment, context) -> {
                        try {
                            rollback.handle(payment, context);
                        } catch (Exception e) {
                            thrown.add(e);
                        }
                    })
                    .process(Payment.message(account, 30));

            softly.assertThat(outcome).as(name).isInstanceOf(Outcome.Parked.class);
            softly.assertThat(balance()).as(name).isEqualTo(BALANCE);
        });
        softly.assertAll();
    }

    @Test
    void refusedRollbackThatAHandlerHidesCostsNoOtherMessageOfItsBatchItsEffect() {
        Handler<Payment, JdbcContext> rollback = rollbacks().values().iterator().next();
        Message hiding = Payment.message(account, 40);

        List<Outcome> outcomes = inbox((payment, context) -> {
                    if (payment.amount() != 40) {
                        pay(payment, context);
                        return;
                    }
                    try {
                        rollback.handle(payment, context);
                    } catch (Exception e) {
                        thrown.add(e);
                    }
                })
                .process(List.of(Payment.message(account, 10), hiding, Payment.message(account, 20)));

        assertThat(outcomes)
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.PARKED, Outcome.Kind.PROCESSED);
        assertThat(balance()).isEqualTo(BALANCE - 30);
    }

    /** A consumer of its own, which remembers what its handler throws. */
    Inbox<JdbcContext> inbox(Handler<Payment, JdbcContext> handler) {
        return Inbox.builder("libraries " + UUID.randomUUID(), store)
                .handle(Payment.TYPE, Payment.DECODER, (payment, context) -> {
                    try {
                        handler.handle(payment, context);
                    } catch (Exception e) {
                        thrown.add(e);
                        throw e;
                    }
                })
                .build();
    }

    Workshop database() {
        return database;
    }

    String account() {
        return account;
    }

    long balance() {
        return Long.parseLong(database.ask("SELECT balance FROM account WHERE id = ?", account));
    }

    /** What was thrown, with all causes and what was suppressed. */
    List<Throwable> causes() {
        List<Throwable> all = new ArrayList<>();
        thrown.forEach(each -> collect(each, all));
        return all;
    }

    private static void collect(@Nullable Throwable failure, List<Throwable> all) {
        if (failure != null && !all.contains(failure)) {
            all.add(failure);
            collect(failure.getCause(), all);
            for (Throwable suppressed : failure.getSuppressed()) {
                collect(suppressed, all);
            }
        }
    }
}
