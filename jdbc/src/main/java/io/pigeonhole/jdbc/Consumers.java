package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.core.store.IdForm;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** The rows of {@code inbox_consumer}. */
final class Consumers {
    private Consumers() {}

    /** Finds the consumer, or registers it; several programs may do so at once, one of them wins. */
    static RegisteredConsumer register(Connection connection, ConsumerRegistration registration) throws SQLException {
        RegisteredConsumer known = find(connection, registration);
        if (known == null) {
            insert(connection, registration);
            known = find(connection, registration);
        }
        if (known == null) {
            throw new ConfigurationException("the consumer " + registration.name()
                    + " was registered and is gone again:" + " nobody may delete rows of inbox_consumer");
        }
        return known;
    }

    private static void insert(Connection connection, ConsumerRegistration registration) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.REGISTER)) {
            statement.setString(1, registration.name());
            statement.setString(2, registration.idForm().name());
            statement.setString(3, registration.order().name());
            statement.setInt(4, registration.lanes());
            statement.setString(5, registration.deduplication().name());
            if (registration.idForm() == IdForm.OPAQUE) {
                statement.setLong(6, KeyScheme.ALWAYS_DIGEST);
            } else {
                statement.setNull(6, Types.BIGINT);
            }
            statement.executeUpdate();
        } catch (SQLException e) {
            if (PostgresStatements.NO_NUMBER_LEFT.equals(e.getSQLState())) {
                throw new ConfigurationException(
                        "the consumer " + registration.name() + " cannot be registered: all 32,767 numbers are used up."
                                + " A consumer is a subscriber of the application, not a message or a user",
                        e);
            }
            throw e;
        }
    }

    private static @Nullable RegisteredConsumer find(Connection connection, ConsumerRegistration registration)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.FIND_CONSUMER)) {
            statement.setString(1, registration.name());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                requireSame(registration, row.getString(2), row.getString(4), row.getInt(5));
                KeyScheme keys = new KeyScheme(row.getLong(3), registration.idForm() == IdForm.TIME_ORDERED_WITH_ULIDS);
                RegisteredConsumer consumer = new RegisteredConsumer(
                        row.getShort(1),
                        registration.name(),
                        keys,
                        registration.order(),
                        registration.lanes(),
                        registration.deduplication());
                consumer.requireDeduplication(Deduplication.valueOf(row.getString(6)));
                return consumer;
            }
        }
    }

    static void requireSame(ConsumerRegistration registration, String idForm, String order, int lanes) {
        String consumer = "the consumer " + registration.name() + " is registered with ";
        if (!registration.idForm().name().equals(idForm)) {
            throw new ConfigurationException(consumer + "ids that are " + idForm + ", the program says "
                    + registration.idForm()
                    + ". This never changes, because every key depends on it: correct the program,"
                    + " or give the consumer a new name");
        }
        if (!registration.order().name().equals(order)) {
            throw new ConfigurationException(consumer + "the order " + order + ", the program says "
                    + registration.order() + ". This never changes, because what is stored already was ordered by it:"
                    + " correct the program, or give the consumer a new name");
        }
        if (registration.lanes() != lanes) {
            throw new ConfigurationException(consumer + lanes + " lanes, the program says " + registration.lanes()
                    + ". This never changes, because the stored messages lie in these lanes: correct the program, or give"
                    + " the consumer a new name");
        }
    }
}
