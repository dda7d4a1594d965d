package io.pigeonhole.peers;

import io.eventuate.common.jdbc.EventuateSchema;
import io.eventuate.common.jdbc.sqldialect.PostgresDialect;
import io.eventuate.common.spring.jdbc.EventuateSpringJdbcStatementExecutor;
import io.eventuate.common.spring.jdbc.EventuateSpringTransactionTemplate;
import io.eventuate.tram.consumer.jdbc.SqlTableBasedDuplicateMessageDetector;
import io.eventuate.tram.messaging.common.MessageImpl;
import io.eventuate.tram.messaging.common.SubscriberIdAndMessage;
import io.pigeonhole.core.message.Message;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * Eventuate Tram's table of received messages. On PostgreSQL a duplicate aborts its transaction, so that messages cannot
 * share one.
 */
final class EventuateTram implements Peer {
    private final SpringTransactions transactions;
    private final SqlTableBasedDuplicateMessageDetector detector;

    EventuateTram(SpringTransactions transactions) {
        this.transactions = transactions;
        this.detector = new SqlTableBasedDuplicateMessageDetector(
                new EventuateSchema(),
                new PostgresDialect().getCurrentTimeInMillisecondsExpression(),
                new EventuateSpringJdbcStatementExecutor(transactions.jdbc()),
                new EventuateSpringTransactionTemplate(transactions.template()));
    }

    @Override
    public String configuration() {
        return "SqlTableBasedDuplicateMessageDetector.doWithMessage;"
                + " eventuate.received_messages, primary key (consumer_id, message_id)";
    }

    @Override
    public void createTables() throws SQLException {
        transactions.execute(List.of("CREATE SCHEMA eventuate", """
                CREATE TABLE eventuate.received_messages (
                    consumer_id   varchar(1000),
                    message_id    varchar(1000),
                    creation_time bigint,
                    published     smallint DEFAULT 0,
                    PRIMARY KEY (consumer_id, message_id))"""));
    }

    @Override
    public List<String> tables() {
        return List.of("eventuate.received_messages");
    }

    @Override
    public void accept(List<Message> batch) {
        for (Message message : batch) {
            MessageImpl received = new MessageImpl("", Map.of(MessageImpl.ID, String.valueOf(message.id())));
            detector.doWithMessage(new SubscriberIdAndMessage("bench", received), () -> transactions.apply(message));
        }
    }
}
