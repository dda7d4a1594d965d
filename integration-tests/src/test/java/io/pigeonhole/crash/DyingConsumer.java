package io.pigeonhole.crash;

import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.kafka.KafkaSource;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** Consumes a topic and is halted around a commit of its offsets. */
final class DyingConsumer {
    private DyingConsumer() {}

    /** Arguments: JDBC URL, bootstrap servers, run, number of effects, commit interval in ms, crash point, passage. */
    public static void main(String[] arguments) {
        DataSource dataSource = Database.dataSource(arguments[0]);
        CrashPlan plan = CrashPlan.haltAt(CrashPoint.valueOf(arguments[5]), Integer.parseInt(arguments[6]));
        Duration commitInterval = Duration.ofMillis(Long.parseLong(arguments[4]));
        JdbcStore store = JdbcStore.create(dataSource);
        consume(store, arguments[1], arguments[2], commitInterval, plan, () -> {
            int effects = Integer.parseInt(arguments[3]);
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> Database.effects(dataSource, arguments[2]).size() >= effects);
        });
    }

    /** Consumes the topic named like the run, until something has been awaited. */
    @SuppressWarnings("try") // The node works by itself until it is closed.
    static void consume(
            JdbcStore store, String servers, String run, Duration commitInterval, CrashPlan plan, Runnable awaited) {
        Inbox<JdbcContext> inbox = Inbox.builder(run, store)
                .handle("payment", PayloadDecoder.bytes(), (payload, context) -> Database.write(context, run))
                .build();
        // A member that keeps its name takes its partitions over at once when it comes back after a crash.
        Map<String, Object> config = Map.of("bootstrap.servers", servers, "group.id", run, "group.instance.id", "only");
        KafkaSource source = KafkaSource.builder(inbox, config, run)
                .commitInterval(commitInterval)
                .consumerFactory(settings -> acknowledgingThrough(plan, new KafkaConsumer<>(settings)))
                .build();
        try (Node node = Node.builder(store).source(source).start()) {
            awaited.run();
        }
    }

    /**
     * The consumer's commits of finished records are the acknowledgement: the crash points stand around them. A commit of where the partitions
     * begin acknowledges nothing.
     */
    @SuppressWarnings("unchecked")
    private static Consumer<byte[], byte[]> acknowledgingThrough(CrashPlan plan, Consumer<byte[], byte[]> consumer) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, values) -> {
                    boolean acknowledges = method.getName().startsWith("commit") && isOfFinished(values[0]);
                    try {
                        if (acknowledges) {
                            plan.pass(CrashPoint.BEFORE_ACKNOWLEDGE);
                        }
                        return method.invoke(consumer, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        if (acknowledges) {
                            plan.pass(CrashPoint.AFTER_ACKNOWLEDGE);
                        }
                    }
                });
    }

    private static boolean isOfFinished(Object positions) {
        return ((Map<?, ?>) positions)
                .values().stream().anyMatch(position -> ((OffsetAndMetadata) position).offset() > 0);
    }
}
