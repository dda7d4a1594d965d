package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** The floor with JDBC batches: the two statements of all deliveries go out with one {@code executeBatch} each. */
final class AtLeastOnceDeferred implements MessageSink {
    private final DataSource dataSource;

    AtLeastOnceDeferred(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public void accept(List<Message> batch) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            apply(batch, connection);
            connection.commit();
        }
    }

    /** The business logic of many messages with one {@code executeBatch} for each of its statements. */
    static void apply(List<Message> batch, Connection connection) throws SQLException {
        try (PreparedStatement credit = connection.prepareStatement(Bank.CREDIT);
                PreparedStatement effect = connection.prepareStatement(Bank.RECORD)) {
            for (Message message : batch) {
                Payment payment = Payment.of(message);
                credit.setLong(1, payment.amount());
                credit.setInt(2, payment.account());
                credit.addBatch();
                effect.setLong(1, payment.number());
                effect.setInt(2, payment.account());
                effect.setLong(3, payment.amount());
                effect.addBatch();
            }
            credit.executeBatch();
            effect.executeBatch();
        }
    }
}
