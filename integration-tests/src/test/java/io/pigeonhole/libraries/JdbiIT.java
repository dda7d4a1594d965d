package io.pigeonhole.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcContext;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("databases")
class JdbiIT extends LibraryContract {
    JdbiIT(DatabaseServer server) {
        super(server);
    }

    @Override
    void pay(Payment payment, JdbcContext context) {
        try (Handle handle = Jdbi.open(context::connection)) {
            handle.createUpdate("UPDATE account SET balance = balance - :amount WHERE id = :account")
                    .bindMethods(payment)
                    .execute();
            long balance = handle.createQuery("SELECT balance FROM account WHERE id = :account")
                    .bindMethods(payment)
                    .mapTo(Long.class)
                    .one();
            payment.requireCovered(balance);
        }
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> commits() {
        return Map.of("commit", (payment, context) -> {
            try (Handle handle = Jdbi.open(context.connection())) {
                handle.begin();
                pay(payment, context);
                handle.commit();
            }
        });
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> rollbacks() {
        return Map.of("rollback", (payment, context) -> {
            try (Handle handle = Jdbi.open(context.connection())) {
                handle.begin();
                pay(payment, context);
                handle.rollback();
            }
        });
    }

    @Test
    void transactionOfJdbiJoinsThatOfTheEngine() {
        Inbox<JdbcContext> inbox = inbox((payment, context) ->
                Jdbi.create(context.connection()).useTransaction(handle -> pay(payment, context)));

        assertThat(inbox.process(Payment.message(account(), 30))).isEqualTo(new Outcome.Processed());
        assertThat(inbox.process(Payment.message(account(), 1_000))).isInstanceOf(Outcome.Parked.class);

        assertThat(balance()).isEqualTo(70);
    }

    @Test
    void handleThatOutlivesItsHandlerCanOnlyBeClosed() {
        AtomicReference<Handle> kept = new AtomicReference<>();
        inbox((payment, context) -> kept.set(Jdbi.open(context.connection()))).process(Payment.message(account(), 30));

        try (Handle handle = kept.get()) {
            assertThatThrownBy(() -> handle.execute("UPDATE account SET balance = 0"))
                    .hasStackTraceContaining("has ended");
        }
        assertThat(balance()).isEqualTo(100);
    }
}
