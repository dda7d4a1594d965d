package io.pigeonhole.libraries;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** No library, but code that was written for a connection of its own. */
@ParameterizedClass
@MethodSource("databases")
class PlainJdbcIT extends LibraryContract {
    PlainJdbcIT(DatabaseServer server) {
        super(server);
    }

    @Override
    void pay(Payment payment, JdbcContext context) throws SQLException {
        try (Connection connection = context.connection();
                PreparedStatement update =
                        connection.prepareStatement("UPDATE account SET balance = balance - ? WHERE id = ?");
                PreparedStatement query = connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
            connection.setAutoCommit(false);
            update.setLong(1, payment.amount());
            update.setString(2, payment.account());
            update.executeUpdate();
            query.setString(1, payment.account());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                payment.requireCovered(row.getLong(1));
            }
        }
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> commits() {
        return Map.of(
                "commit",
                (payment, context) -> {
                    pay(payment, context);
                    context.connection().commit();
                },
                "auto-commit",
                (payment, context) -> {
                    context.connection().setAutoCommit(true);
                    pay(payment, context);
                });
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> rollbacks() {
        return Map.of("rollback", (payment, context) -> {
            pay(payment, context);
            context.connection().rollback();
        });
    }
}
