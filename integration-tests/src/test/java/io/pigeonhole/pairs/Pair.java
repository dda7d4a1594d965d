package io.pigeonhole.pairs;

import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.H2Server;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.MariaDbServers;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.SharedStore;
import io.pigeonhole.kafka.KafkaBroker;
import io.pigeonhole.rabbitmq.AmqpBroker;
import io.pigeonhole.sqs.SqsBroker;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.StoreFixture;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** A broker and a database, each inside this JVM or started by it, when the first test asks for it. */
public record Pair(Broker broker, Database database) {
    /** The brokers. */
    enum Broker {
        KAFKA,
        AMQP,
        SQS
    }

    /** The databases. */
    enum Database {
        POSTGRESQL,
        MARIADB,
        H2
    }

    /** For {@code @MethodSource}: Kafka with every database. */
    static Stream<Pair> ofKafka() {
        return Arrays.stream(Database.values()).map(database -> new Pair(Broker.KAFKA, database));
    }

    /** For {@code @MethodSource}: those that have no other test in this run. */
    static Stream<Pair> remaining() {
        return all().filter(pair -> pair.database() != Database.POSTGRESQL)
                .filter(pair -> pair.broker() != Broker.KAFKA || !DatabaseServer.isFull());
    }

    /** For {@code @MethodSource}: those for which no other class keeps the contract of sources in a full run. */
    static Stream<Pair> withoutAClassOfTheirOwn() {
        return all().filter(pair -> pair.broker() == Broker.AMQP
                || (pair.broker() == Broker.SQS && pair.database() != Database.POSTGRESQL));
    }

    private static Stream<Pair> all() {
        return Arrays.stream(Broker.values())
                .flatMap(broker -> Arrays.stream(Database.values()).map(database -> new Pair(broker, database)));
    }

    BrokerFixture brokerFixture() {
        return switch (broker) {
            case KAFKA -> Kafka.BROKER.forOneTest();
            case AMQP -> Amqp.BROKER.forOneTest();
            case SQS -> SqsBroker.standard();
        };
    }

    StoreFixture<JdbcContext> storeFixture() {
        DatabaseServer server = switch (database) {
            case POSTGRESQL -> PostgresServers.embedded();
            case MARIADB -> MariaDbServers.embedded();
            case H2 -> H2Server.FILES;
        };
        return SharedStore.fixtureOn(server);
    }

    private static Path files(String name) {
        return Path.of(System.getProperty("pigeonhole.target", "target"), name);
    }

    private static final class Kafka {
        static final KafkaBroker BROKER = KafkaBroker.start(
                files("kafka-of-pairs-" + ProcessHandle.current().pid()));
    }

    private static final class Amqp {
        static final AmqpBroker BROKER = AmqpBroker.embedded(files("amqp-of-pairs"));
    }
}
