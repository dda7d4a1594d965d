package io.pigeonhole.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@ParameterizedClass
@MethodSource("databases")
class SpringIT extends LibraryContract {
    SpringIT(DatabaseServer server) {
        super(server);
    }

    @Override
    void pay(Payment payment, JdbcContext context) {
        var jdbc = JdbcClient.create(new SingleConnectionDataSource(context.connection(), true));
        jdbc.sql("UPDATE account SET balance = balance - :amount WHERE id = :account")
                .paramSource(payment)
                .update();
        long balance = jdbc.sql("SELECT balance FROM account WHERE id = :account")
                .paramSource(payment)
                .query(Long.class)
                .single();
        payment.requireCovered(balance);
    }

    private static TransactionTemplate transactions(JdbcContext context) {
        return new TransactionTemplate(
                new JdbcTransactionManager(new SingleConnectionDataSource(context.connection(), true)));
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> commits() {
        return Map.of(
                "TransactionTemplate",
                (payment, context) -> transactions(context).executeWithoutResult(status -> pay(payment, context)));
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> rollbacks() {
        return Map.of(
                "TransactionTemplate",
                (payment, context) -> transactions(context).executeWithoutResult(status -> {
                    pay(payment, context);
                    throw new IllegalArgumentException("no");
                }),
                "setRollbackOnly",
                (payment, context) -> transactions(context).executeWithoutResult(status -> {
                    pay(payment, context);
                    status.setRollbackOnly();
                }));
    }

    @Test
    void isolationOfATransactionOfSpringsIsRefusedAtItsBegin() {
        Inbox<JdbcContext> inbox = inbox((payment, context) -> {
            TransactionTemplate transactions = transactions(context);
            transactions.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
            transactions.executeWithoutResult(status -> pay(payment, context));
        });

        assertThat(inbox.process(Payment.message(account(), 30))).isInstanceOf(Outcome.Parked.class);

        assertThat(causes())
                .anyMatch(cause -> ("" + cause.getMessage()).contains("the engine's transactions are read committed"));
        assertThat(balance()).isEqualTo(100);
    }

    /** What the caller has written would be rolled back. */
    @Test
    void dataSourceOfTheCallersTransactionIsRefused() {
        DataSource aware = new TransactionAwareDataSourceProxy(database().dataSource());
        assertThatThrownBy(() -> JdbcStore.create(aware))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("getTargetDataSource()");

        assertThatThrownBy(() -> JdbcStore.create(new DelegatingDataSource(aware)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("getTargetDataSource()");
    }

    @Test
    void dataSourceThatClosesItsConnectionDoesNoHarm() {
        Inbox<JdbcContext> inbox = inbox((payment, context) -> {
            pay(payment, context);
            new SingleConnectionDataSource(context.connection(), false).close();
            pay(payment, context);
        });

        assertThat(inbox.process(Payment.message(account(), 30))).isEqualTo(new Outcome.Processed());

        assertThat(balance()).isEqualTo(40);
    }
}
