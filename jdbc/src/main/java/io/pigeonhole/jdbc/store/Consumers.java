package io.pigeonhole.jdbc.store;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ConsumerStatement;
import io.pigeonhole.jdbc.sql.StoredNames;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** The rows of {@code inbox_consumer}. */
public final class Consumers {
    /** The SQLSTATE of an identity column of PostgreSQL that has no number left. */
    private static final String NO_NUMBER_LEFT = "2200H";

    private Consumers() {}

    /** Finds the consumer, or registers it; several programs may do so at once, one of them wins. */
    public static RegisteredConsumer register(AdminSession session, ConsumerRegistration registration)
            throws SQLException {
        Optional<RegisteredConsumer> known = known(session, registration);
        if (known.isPresent()) {
            return known.get();
        }
        boolean inserted = insert(session, registration);
        RegisteredConsumer registered = find(session, registration)
                .orElseThrow(() -> new ConfigurationException("the consumer " + registration.name()
                        + " cannot be registered: its row is gone again, which nobody may delete; or all 32,767 numbers are"
                        + " used up. A consumer is a subscriber of the application, not a message or a user"));
        if (inserted) {
            session.operations().addWorkPartitions(registered);
        }
        return registered;
    }

    private static boolean insert(AdminSession session, ConsumerRegistration registration) throws SQLException {
        long digestBelow = registration.idForm() == IdForm.OPAQUE
                ? KeyScheme.ALWAYS_DIGEST
                : session.now().toEpochMilli();
        try (Call call = session.call(ConsumerStatement.REGISTER)) {
            return session.operations()
                    .insertUnlessThere(call.text("name", registration.name())
                            .text("id_form", registration.idForm().name())
                            .number("digest_below", digestBelow)
                            .text("key_order", registration.order().name())
                            .number("work_partitions", registration.workPartitions())
                            .text("deduplication", registration.deduplication().name())
                            .now());
        } catch (SQLException e) {
            if (NO_NUMBER_LEFT.equals(e.getSQLState())) {
                throw new ConfigurationException(
                        "the consumer " + registration.name() + " cannot be registered: all 32,767 numbers are used up."
                                + " A consumer is a subscriber of the application, not a message or a user",
                        e);
            }
            throw e;
        }
    }

    /** Finds it, with all of its work partitions; empty where it is not registered yet. */
    public static Optional<RegisteredConsumer> known(AdminSession session, ConsumerRegistration registration)
            throws SQLException {
        Optional<RegisteredConsumer> known = find(session, registration);
        if (known.isPresent()) {
            session.operations().addLostWorkPartitions(known.get());
        }
        return known;
    }

    private static Optional<RegisteredConsumer> find(AdminSession session, ConsumerRegistration registration)
            throws SQLException {
        try (Call call = session.call(ConsumerStatement.FIND)) {
            return Optional.ofNullable(
                    call.text("name", registration.name()).first(row -> registered(registration, row)));
        }
    }

    private static RegisteredConsumer registered(ConsumerRegistration registration, ResultSet row) throws SQLException {
        requireSameName(registration, row.getString(7));
        requireSame(registration, row.getString(2), row.getString(4), row.getInt(5));
        KeyScheme keys = new KeyScheme(row.getLong(3), registration.idForm() == IdForm.TIME_ORDERED_WITH_ULIDS);
        RegisteredConsumer consumer = new RegisteredConsumer(
                row.getShort(1),
                registration.name(),
                keys,
                registration.order(),
                registration.workPartitions(),
                registration.deduplication());
        consumer.requireDeduplication(
                StoredNames.read(Deduplication.class, row.getString(6), StoredNames.consumer(consumer.name())));
        return consumer;
    }

    /** The column has a collation in which what differs may be equal: the messages of one would be duplicates of the other's. */
    private static void requireSameName(ConsumerRegistration registration, String found) {
        if (!registration.name().equals(found)) {
            throw new ConfigurationException(
                    "the database takes the consumer '" + registration.name() + "' for '" + found
                            + "', which is another one: inbox_consumer.name has a collation that does not compare all characters. Give it the"
                            + " one that the schema of this version has");
        }
    }

    private static void requireSame(
            ConsumerRegistration registration, String idForm, String order, int workPartitions) {
        String consumer = "the consumer " + registration.name() + " is registered with ";
        if (!registration.idForm().name().equals(idForm)) {
            throw new ConfigurationException(consumer + "ids that are " + idForm + ", the program says "
                    + registration.idForm()
                    + ". This never changes, because every key depends on it: correct the program,"
                    + " or give the consumer a new name. Inboxes, outboxes and IdempotentRequests share their names: two of them cannot"
                    + " have the same");
        }
        if (!registration.order().name().equals(order)) {
            throw new ConfigurationException(consumer + "the order " + order + ", the program says "
                    + registration.order() + ". This never changes, because what is stored already was ordered by it:"
                    + " correct the program, or give the consumer a new name");
        }
        if (registration.workPartitions() != workPartitions) {
            throw new ConfigurationException(
                    consumer + workPartitions + " work partitions, the program says " + registration.workPartitions()
                            + ". This never changes, because the stored messages lie in these work partitions: correct the program, or give"
                            + " the consumer a new name");
        }
    }
}
