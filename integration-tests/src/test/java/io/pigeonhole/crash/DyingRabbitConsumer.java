package io.pigeonhole.crash;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.rabbitmq.RabbitSource;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.postgresql.ds.PGSimpleDataSource;

/** Consumes an AMQP queue and is halted around a commit or an acknowledgement. */
final class DyingRabbitConsumer {
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    private DyingRabbitConsumer() {}

    /** Arguments: JDBC URL, port of the broker, run, crash point, passage. The queue is named like the run. */
    public static void main(String[] arguments) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(arguments[0]);
        CrashPlan plan = CrashPlan.haltAt(CrashPoint.valueOf(arguments[3]), Integer.parseInt(arguments[4]));
        consume(JdbcStore.create(dataSource), Integer.parseInt(arguments[1]), arguments[2], plan, () -> {
            // It is halted long before.
            await().atMost(PATIENCE).until(() -> false);
        });
    }

    /** Consumes the queue named like the run, until something has been awaited. */
    @SuppressWarnings("try") // The node works by itself until it is closed.
    static void consume(JdbcStore store, int port, String run, CrashPlan plan, Runnable awaited) {
        CrashingStore<JdbcContext> crashing = new CrashingStore<>(store, plan);
        Inbox<JdbcContext> inbox = Inbox.builder(run, crashing)
                .handle("payment", PayloadDecoder.bytes(), (payload, context) -> Database.write(context, run))
                .build();
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        RabbitSource source = RabbitSource.builder(inbox, factory, run)
                .connectionOpener((copy, name) -> acknowledgingThrough(plan, copy.newConnection(name)))
                .concurrency(2)
                .maxBatch(20)
                .build();
        try (Node node = Node.builder(crashing).source(source).start()) {
            awaited.run();
        }
    }

    /** The crash points stand around {@code basicAck}. */
    private static Connection acknowledgingThrough(CrashPlan plan, Connection connection) {
        return around(
                Connection.class,
                connection,
                plan,
                result -> result instanceof Channel channel
                        ? around(Channel.class, channel, plan, UnaryOperator.identity())
                        : result);
    }

    @SuppressWarnings("unchecked")
    private static <T> T around(Class<T> type, T target, CrashPlan plan, UnaryOperator<Object> wrapped) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
            boolean acknowledges = method.getName().equals("basicAck");
            try {
                if (acknowledges) {
                    plan.pass(CrashPoint.BEFORE_ACKNOWLEDGE);
                }
                return wrapped.apply(method.invoke(target, values));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            } finally {
                if (acknowledges) {
                    plan.pass(CrashPoint.AFTER_ACKNOWLEDGE);
                }
            }
        });
    }
}
