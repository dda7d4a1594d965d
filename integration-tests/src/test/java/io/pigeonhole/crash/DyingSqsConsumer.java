package io.pigeonhole.crash;

import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.sqs.SqsServer;
import io.pigeonhole.sqs.SqsSource;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import java.time.Duration;
import javax.sql.DataSource;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequest;

/** Consumes a queue and is halted around a deletion of what is settled, or just after a commit. */
final class DyingSqsConsumer {
    private DyingSqsConsumer() {}

    /** Arguments: JDBC URL, port of the server, queue, number of effects, crash point, passage. */
    public static void main(String[] arguments) {
        DataSource dataSource = Database.dataSource(arguments[0]);
        CrashPlan plan = CrashPlan.haltAt(CrashPoint.valueOf(arguments[4]), Integer.parseInt(arguments[5]));
        consume(JdbcStore.create(dataSource), Integer.parseInt(arguments[1]), arguments[2], plan, () -> {
            int effects = Integer.parseInt(arguments[3]);
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> Database.effects(dataSource, arguments[2]).size() >= effects);
        });
    }

    /** Consumes the queue named like the run, until something has been awaited. */
    @SuppressWarnings("try") // The node works by itself until it is closed.
    static void consume(JdbcStore jdbc, int port, String run, CrashPlan plan, Runnable awaited) {
        var store = new CrashingStore<>(jdbc, plan);
        Inbox<JdbcContext> inbox = Inbox.builder(run, store)
                .handle("payment", PayloadDecoder.bytes(), (payload, context) -> Database.write(context, run))
                .build();
        try (SqsClient client = SqsServer.client(port, new AtDeletions(plan));
                Node node = Node.builder(store)
                        .source(SqsSource.builder(inbox, client, run)
                                .visibilityTimeout(Duration.ofSeconds(3))
                                .build())
                        .start()) {
            awaited.run();
        }
    }

    /** The deletions are the acknowledgement: the crash points stand around them. */
    private record AtDeletions(CrashPlan plan) implements ExecutionInterceptor {
        @Override
        public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
            if (context.request() instanceof DeleteMessageBatchRequest) {
                plan.pass(CrashPoint.BEFORE_ACKNOWLEDGE);
            }
        }

        @Override
        public void afterExecution(Context.AfterExecution context, ExecutionAttributes attributes) {
            if (context.request() instanceof DeleteMessageBatchRequest) {
                plan.pass(CrashPoint.AFTER_ACKNOWLEDGE);
            }
        }
    }
}
