package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** The floor: a consumer without an inbox, one transaction for each batch, two statements for each delivery. */
final class AtLeastOnce implements MessageSink {
    private final DataSource dataSource;

    AtLeastOnce(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public void accept(List<Message> batch) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            for (Message message : batch) {
                apply(Payment.of(message), connection);
            }
            connection.commit();
        }
    }

    /** The business logic as one writes it with plain JDBC: what every variant does that sends its statements one by one. */
    static void apply(Payment payment, Connection connection) throws SQLException {
        try (PreparedStatement credit = connection.prepareStatement(Bank.CREDIT)) {
            credit.setLong(1, payment.amount());
            credit.setInt(2, payment.account());
            credit.executeUpdate();
        }
        try (PreparedStatement effect = connection.prepareStatement(Bank.RECORD)) {
            effect.setLong(1, payment.number());
            effect.setInt(2, payment.account());
            effect.setLong(3, payment.amount());
            effect.executeUpdate();
        }
    }
}
