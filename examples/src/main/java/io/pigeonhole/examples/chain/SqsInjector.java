package io.pigeonhole.examples.chain;

import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;

/**
 * Sends messages of SQS again that the service has taken: to look into the queue would hold up its groups. The id is the same, and the
 * deduplication id another one, because the queue itself would drop what comes again within five minutes.
 */
final class SqsInjector implements Injector {
    private static final long PAUSE_MILLIS = 200;
    private static final long JOIN_MILLIS = 5_000;

    private final ChainDatabases databases;
    private final SqsClient client;
    private final String queueUrl;
    private final Duplicates duplicates = new Duplicates();
    private final Thread thread = new Thread(this::run, "sqs-injector");
    private volatile boolean closed;

    SqsInjector(ChainDatabases databases, SqsClient client, String queueUrl) {
        this.databases = databases;
        this.client = client;
        this.queueUrl = queueUrl;
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public Duplicates duplicates() {
        return duplicates;
    }

    private void run() {
        long last = 0;
        try {
            while (!closed) {
                last = look(last);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            duplicates.failed(e);
        }
    }

    private long look(long last) throws Exception {
        long newest = last;
        try {
            for (Effect effect : databases.effects(Effect.Table.SHIPPED, last)) {
                duplicates.seen(effect.messageId(), effect.order().reference(), () -> send(effect));
                newest = effect.place();
            }
        } catch (SQLException e) {
            // The database was killed; the next time it is there again.
            return last;
        }
        return newest;
    }

    private void send(Effect effect) {
        client.sendMessage(request -> request.queueUrl(queueUrl)
                .messageGroupId(Integer.toString(effect.order().customer()))
                .messageDeduplicationId(UUID.randomUUID().toString())
                .messageBody(effect.order().toJson())
                .messageAttributes(Map.of(
                        "message-id",
                        text(effect.messageId()),
                        "message-type",
                        text(Stage.SHIPPED.type()),
                        "content-type",
                        text("application/json"))));
    }

    private static MessageAttributeValue text(String value) {
        return MessageAttributeValue.builder()
                .dataType("String")
                .stringValue(value)
                .build();
    }

    /** A transaction that commits late has places that were looked behind before; {@link #finish} looks at all of them. */
    @Override
    public boolean hasSeen(int orders) {
        return true;
    }

    @Override
    public void finish() throws Exception {
        look(0);
        duplicates.flush();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
