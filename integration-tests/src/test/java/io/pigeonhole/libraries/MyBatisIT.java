package io.pigeonhole.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcContext;
import java.util.Map;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.TransactionFactory;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.apache.ibatis.transaction.managed.ManagedTransactionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("databases")
class MyBatisIT extends LibraryContract {
    private final SqlSessionFactory sessions;
    private final SqlSessionFactory withOwnTransactions;

    MyBatisIT(DatabaseServer server) {
        super(server);
        sessions = sessions(new ManagedTransactionFactory());
        withOwnTransactions = sessions(new JdbcTransactionFactory());
    }

    private SqlSessionFactory sessions(TransactionFactory transactions) {
        Configuration configuration = new Configuration(
                new Environment("payments", transactions, database().dataSource()));
        configuration.addMapper(AccountMapper.class);
        return new SqlSessionFactoryBuilder().build(configuration);
    }

    @Override
    void pay(Payment payment, JdbcContext context) {
        pay(sessions, payment, context);
    }

    private static void pay(SqlSessionFactory sessions, Payment payment, JdbcContext context) {
        try (SqlSession session = sessions.openSession(context.connection())) {
            var accounts = session.getMapper(AccountMapper.class);
            accounts.pay(payment);
            payment.requireCovered(accounts.balance(payment));
        }
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> commits() {
        return Map.of(
                "commit",
                (payment, context) -> {
                    try (SqlSession session = withOwnTransactions.openSession(context.connection())) {
                        session.getMapper(AccountMapper.class).pay(payment);
                        session.commit();
                    }
                },
                "close behind a query",
                (payment, context) -> {
                    try (SqlSession session = withOwnTransactions.openSession(context.connection())) {
                        session.getMapper(AccountMapper.class).balance(payment);
                    }
                });
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> rollbacks() {
        return Map.of(
                "rollback",
                (payment, context) -> {
                    try (SqlSession session = withOwnTransactions.openSession(context.connection())) {
                        session.getMapper(AccountMapper.class).pay(payment);
                        session.rollback();
                    }
                },
                "close",
                (payment, context) -> {
                    try (SqlSession session = withOwnTransactions.openSession(context.connection())) {
                        session.getMapper(AccountMapper.class).pay(payment);
                    }
                });
    }

    @Test
    void commitOfAManagedSessionIsLeftToTheEngine() {
        Inbox<JdbcContext> inbox = inbox((payment, context) -> {
            try (SqlSession session = sessions.openSession(context.connection())) {
                session.getMapper(AccountMapper.class).pay(payment);
                session.commit();
            }
            payment.requireCovered(50 - payment.amount());
        });

        assertThat(inbox.process(Payment.message(account(), 30))).isEqualTo(new Outcome.Processed());
        assertThat(inbox.process(Payment.message(account(), 60))).isInstanceOf(Outcome.Parked.class);

        assertThat(balance()).isEqualTo(70);
    }
}
