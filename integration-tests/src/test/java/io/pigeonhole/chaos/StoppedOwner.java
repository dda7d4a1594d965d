package io.pigeonhole.chaos;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.kafka.KafkaSource;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A process that has a partition, and in the handler of its first message waits for a word from outside. No limit of idle
 * transactions ends what it has begun: only the assignment of the watermark can.
 */
final class StoppedOwner {
    static final String CONSUMER = "stopped-owner";

    /** What a node does in the middle of its handler. */
    @FunctionalInterface
    interface Pause {
        void pause() throws IOException;
    }

    private StoppedOwner() {}

    static Node node(
            DataSource database, String servers, String topic, String node, Pause pause, InboxListener listener) {
        JdbcStore store = JdbcStore.create(database);
        Inbox<JdbcContext> inbox = Inbox.builder(CONSUMER, store)
                .deduplication(Deduplication.WATERMARKS)
                .handlerTimeout(Duration.ofMinutes(5))
                .node(node)
                .listener(listener)
                .handle("test", PayloadDecoder.text(), (text, context) -> {
                    context.defer("INSERT INTO effect (text) VALUES (?)", text + " by " + node);
                    pause.pause();
                })
                .build();
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                servers,
                "auto.offset.reset",
                "earliest",
                "session.timeout.ms",
                6_000,
                "heartbeat.interval.ms",
                300);
        return Node.builder(store).source(KafkaSource.of(inbox, config, topic)).start();
    }

    /** Arguments: JDBC URL, bootstrap servers, topic. */
    @SuppressWarnings("try") // The node works by itself until it is closed.
    public static void main(String[] arguments) throws InterruptedException {
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(arguments[0]);
        AtomicBoolean waited = new AtomicBoolean();
        Pause pause = () -> {
            if (!waited.getAndSet(true)) {
                System.out.println("in the handler");
                int word = System.in.read();
                System.out.println("goes on after " + word);
            }
        };
        InboxListener listener = new InboxListener() {
            @Override
            public void onRollback(String consumer, int messages, Throwable cause) {
                System.out.println("rolled back " + messages + " because of " + cause);
            }

            @Override
            public void onOutcome(String consumer, Message message, Outcome outcome) {
                System.out.println(message.origin() + " is " + outcome.kind());
            }
        };
        try (Node node = node(database, arguments[1], arguments[2], "stopped", pause, listener)) {
            Thread.currentThread().join();
        }
    }
}
