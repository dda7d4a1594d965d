package io.pigeonhole.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.LockMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.cfg.Configuration;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.cfg.TransactionSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("databases")
class HibernateIT extends LibraryContract {
    /** Costly to make, and so made once for each database. */
    private static final Map<DatabaseServer, SessionFactory> FACTORIES = new ConcurrentHashMap<>();

    private final SessionFactory sessions;

    HibernateIT(DatabaseServer server) {
        super(server);
        sessions = FACTORIES.computeIfAbsent(server, each -> sessions());
    }

    private SessionFactory sessions() {
        Configuration configuration = new Configuration().addAnnotatedClass(Account.class);
        configuration
                .getProperties()
                .put(JdbcSettings.JAKARTA_NON_JTA_DATASOURCE, database().dataSource());
        configuration.setProperty(TransactionSettings.ALLOW_UPDATE_OUTSIDE_TRANSACTION, "true");
        return configuration.buildSessionFactory();
    }

    @Override
    void pay(Payment payment, JdbcContext context) {
        try (StatelessSession session = sessions.openStatelessSession(context.connection())) {
            Account account = session.get(Account.class, payment.account(), LockMode.PESSIMISTIC_WRITE);
            payment.requireCovered(account.take(payment.amount()));
            session.update(account);
        }
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> commits() {
        return Map.of("commit", (payment, context) -> {
            try (Session session =
                    sessions.withOptions().connection(context.connection()).openSession()) {
                var transaction = session.beginTransaction();
                session.find(Account.class, payment.account()).take(payment.amount());
                transaction.commit();
            }
        });
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> rollbacks() {
        return Map.of("rollback", (payment, context) -> {
            try (Session session =
                    sessions.withOptions().connection(context.connection()).openSession()) {
                var transaction = session.beginTransaction();
                session.find(Account.class, payment.account()).take(payment.amount());
                session.flush();
                transaction.rollback();
            }
        });
    }

    @Test
    void sessionWritesWhenItIsFlushed() {
        Inbox<JdbcContext> inbox = inbox(this::payInSession);
        Message message = Payment.message(account(), 30);

        assertThat(inbox.process(message)).isEqualTo(new Outcome.Processed());
        assertThat(inbox.process(message)).isEqualTo(new Outcome.Duplicate());
        assertThat(inbox.process(Payment.message(account(), 1_000))).isInstanceOf(Outcome.Parked.class);

        assertThat(balance()).isEqualTo(70);
    }

    private void payInSession(Payment payment, JdbcContext context) {
        try (Session session =
                sessions.withOptions().connection(context.connection()).openSession()) {
            Account account = session.find(Account.class, payment.account(), LockMode.PESSIMISTIC_WRITE);
            long balance = account.take(payment.amount());
            session.flush();
            payment.requireCovered(balance);
        }
    }
}
