package io.pigeonhole.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.embedded.EmbeddedAmqp;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A consumer of an AMQP queue dies around a commit, or around an acknowledgement. */
class RabbitAcknowledgeCrashIT {
    private static final List<String> IDS =
            IntStream.range(0, 200).mapToObj(i -> "payment " + i).toList();

    private static Database database;
    private static EmbeddedAmqp broker;

    private Connection connection;
    private Channel channel;

    record Death(CrashPoint point, int passage) {
        String run() {
            return ("rabbit-" + point + "-" + passage).toLowerCase(Locale.ROOT);
        }
    }

    static Stream<Death> deaths() {
        return Stream.of(
                        new Death(CrashPoint.BEFORE_ACKNOWLEDGE, 1),
                        new Death(CrashPoint.AFTER_ACKNOWLEDGE, 1),
                        new Death(CrashPoint.AFTER_COMMIT, 4),
                        new Death(CrashPoint.BEFORE_COMMIT, 3),
                        new Death(CrashPoint.AFTER_COMMIT, 1),
                        new Death(CrashPoint.BEFORE_ACKNOWLEDGE, 5))
                .limit(DatabaseServer.isFull() ? Long.MAX_VALUE : 2);
    }

    @BeforeAll
    static void startServers() {
        database = Database.onPostgres();
        broker = EmbeddedAmqp.start(Database.directory().resolve("crash-amqp"));
    }

    @AfterAll
    static void stopServers() {
        broker.close();
        database.close();
    }

    @BeforeEach
    void connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.port());
        connection = factory.newConnection();
        channel = connection.createChannel();
        channel.confirmSelect();
    }

    @AfterEach
    void disconnect() throws Exception {
        connection.close();
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void everyPaymentTakesEffectOnceWhenAConsumerDiesAt(Death death) throws Exception {
        String run = death.run();
        channel.queueDeclare(run, true, false, false, null);
        send(run);
        ChildJvm child = ChildJvm.start(
                DyingRabbitConsumer.class,
                Database.directory().resolve("acknowledge").resolve(run + ".log"),
                List.of(database.url(), "" + broker.port(), run, death.point().name(), "" + death.passage()));
        assertThat(child.exitCode()).as(child.output()).isEqualTo(CrashPlan.HALTED);
        await("delivered again")
                .atMost(Duration.ofSeconds(40))
                .until(() -> channel.consumerCount(run) == 0 && channel.messageCount(run) > 0);

        JdbcStore store = JdbcStore.create(database.dataSource());
        DyingRabbitConsumer.consume(
                store,
                broker.port(),
                run,
                CrashPlan.none(),
                () -> await().atMost(Duration.ofSeconds(40))
                        .until(() -> database.effects(run).size() >= IDS.size() && channel.messageCount(run) == 0));

        await().atMost(Duration.ofSeconds(40)).until(() -> channel.consumerCount(run) == 0);
        await().during(Duration.ofMillis(200))
                .atMost(Duration.ofSeconds(40))
                .until(() -> channel.messageCount(run) == 0);
        EffectsChecker.expecting(IDS)
                .effects(database.effects(run))
                .parked(database.parked(run))
                .dead(database.dead(run))
                .check()
                .assertExactlyOnce();
    }

    private void send(String queue) throws Exception {
        for (String id : IDS) {
            BasicProperties properties = new BasicProperties.Builder()
                    .messageId(id)
                    .type("payment")
                    .deliveryMode(2)
                    .build();
            channel.basicPublish("", queue, properties, id.getBytes(UTF_8));
        }
        channel.waitForConfirmsOrDie(40_000);
    }
}
