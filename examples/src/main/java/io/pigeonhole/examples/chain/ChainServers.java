package io.pigeonhole.examples.chain;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pigeonhole.embedded.EmbeddedAmqp;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.embedded.EmbeddedSqs;
import io.pigeonhole.examples.demo.GroupLag;
import io.pigeonhole.examples.demo.Teardown;
import io.pigeonhole.examples.demo.Workplace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/** The servers of a run: PostgreSQL, which can be killed, and three brokers inside this JVM, which cannot. For one thread. */
final class ChainServers {
    private final ChainDatabases databases;
    private final EmbeddedKafka kafka;
    private final GroupLag lag;
    private final EmbeddedAmqp amqp;
    private final Connection amqpConnection;
    private final EmbeddedSqs sqs;
    private final SqsClient sqsClient;
    private final String queueUrl;

    /** Starts them, and makes what is in them; all of it ends with the teardown. */
    ChainServers(Workplace place, Teardown teardown) throws IOException, TimeoutException {
        CompletableFuture<EmbeddedKafka> startingKafka = CompletableFuture.supplyAsync(
                () -> teardown.add(EmbeddedKafka.start(place.broker().resolve("kafka"))));
        this.databases = teardown.add(new ChainDatabases(EmbeddedPostgres.start(place.postgres())));
        this.amqp = teardown.add(EmbeddedAmqp.start(place.broker().resolve("amqp")));
        this.amqpConnection = BrokerClients.amqp(amqp.port()).newConnection("coordinator");
        teardown.add((AutoCloseable) amqpConnection::abort);
        declareQueues();
        this.sqs = teardown.add(EmbeddedSqs.start());
        this.sqsClient = teardown.add(BrokerClients.sqs(sqs.endpoint().toString(), null));
        this.queueUrl = sqsClient
                .createQueue(queue -> queue.queueName(Stage.SHIPPED.place())
                        .attributes(Map.of(QueueAttributeName.FIFO_QUEUE, "true")))
                .queueUrl();
        this.kafka = startingKafka.join();
        kafka.createTopic(Stage.PLACED.place(), Stage.PARTITIONS);
        this.lag = teardown.add(
                new GroupLag(kafka.admin(), Stage.PLACED.place(), Stage.PARTITIONS, PaymentsService.CONSUMER));
    }

    private void declareQueues() throws IOException, TimeoutException {
        try (Channel channel = amqpConnection.createChannel()) {
            channel.exchangeDeclare(Stage.PAID.place(), BuiltinExchangeType.FANOUT, true);
            for (String queue : List.of(Stage.PAID.place(), Stage.PAID_COPIES)) {
                channel.queueDeclare(queue, true, false, false, Map.of());
                channel.queueBind(queue, Stage.PAID.place(), "");
            }
        }
    }

    ChainDatabases databases() {
        return databases;
    }

    ServiceSettings settings(Service service, Path directory) {
        return new ServiceSettings(
                databases.url(service.database()),
                kafka.bootstrapServers(),
                amqp.port(),
                sqs.endpoint().toString(),
                directory);
    }

    /** Those that send messages again, one for each broker. */
    List<Injector> injectors(Teardown teardown) throws IOException, TimeoutException {
        return List.of(
                teardown.add(new KafkaInjector(kafka)),
                teardown.add(new RabbitInjector(amqp.port())),
                teardown.add(new SqsInjector(databases, sqsClient, queueUrl)));
    }

    /**
     * How many messages of all brokers are not acknowledged. What RabbitMQ's has delivered is among them only once the service has
     * ended.
     */
    long unacknowledged() throws InterruptedException, IOException, TimeoutException {
        long unacknowledged = lag.records();
        try (Channel channel = amqpConnection.createChannel()) {
            unacknowledged += channel.messageCount(Stage.PAID.place());
        }
        return unacknowledged
                + sqsClient
                        .getQueueAttributes(request -> request.queueUrl(queueUrl)
                                .attributeNames(
                                        QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES,
                                        QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE))
                        .attributes()
                        .values()
                        .stream()
                        .mapToLong(Long::parseLong)
                        .sum();
    }
}
