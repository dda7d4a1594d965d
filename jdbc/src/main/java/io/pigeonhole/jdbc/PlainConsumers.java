package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.core.store.IdForm;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The rows of {@code inbox_consumer}, each with those of its lanes. */
final class PlainConsumers {
    /** Those who store lock one row of a lane, those who work the other. */
    private static final String[] KINDS = {"store", "work"};

    private PlainConsumers() {}

    /** Finds the consumer, or registers it; several programs may do so at once, one of them wins. */
    static RegisteredConsumer register(PlainSession session, ConsumerRegistration registration) throws SQLException {
        RegisteredConsumer known = find(session, registration);
        if (known == null && insert(session, registration)) {
            known = find(session, registration);
            addLanes(session, known);
        } else if (known == null) {
            known = find(session, registration);
        }
        if (known == null) {
            throw new ConfigurationException("the consumer " + registration.name()
                    + " cannot be registered: its row is gone again, which nobody may delete; or all 32,767 numbers are"
                    + " used up. A consumer is a subscriber of the application, not a message or a user");
        }
        return known;
    }

    private static boolean insert(PlainSession session, ConsumerRegistration registration) throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.REGISTER)) {
            statement.setString(1, registration.name());
            statement.setString(2, registration.idForm().name());
            statement.setLong(
                    3,
                    registration.idForm() == IdForm.OPAQUE
                            ? KeyScheme.ALWAYS_DIGEST
                            : session.now().toEpochMilli());
            statement.setString(4, registration.order().name());
            statement.setInt(5, registration.lanes());
            statement.setObject(6, session.timestamp());
            statement.setString(7, registration.deduplication().name());
            statement.executeUpdate();
            return true;
        } catch (SQLException e) {
            if (session.dialect().isDuplicateKey(e)) {
                return false;
            }
            throw e;
        }
    }

    private static void addLanes(PlainSession session, @Nullable RegisteredConsumer consumer) throws SQLException {
        if (consumer == null) {
            return;
        }
        try (PreparedStatement statement =
                session.prepare(LedgerStatement.ADD_LANES, KINDS.length * consumer.lanes())) {
            int next = 1;
            for (String kind : KINDS) {
                for (int lane = 0; lane < consumer.lanes(); lane++) {
                    statement.setShort(next++, consumer.id());
                    statement.setString(next++, kind);
                    statement.setInt(next++, lane);
                }
            }
            statement.executeUpdate();
        }
    }

    private static @Nullable RegisteredConsumer find(PlainSession session, ConsumerRegistration registration)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.FIND_CONSUMER)) {
            statement.setString(1, registration.name());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                Consumers.requireSame(registration, row.getString(2), row.getString(4), row.getInt(5));
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
}
