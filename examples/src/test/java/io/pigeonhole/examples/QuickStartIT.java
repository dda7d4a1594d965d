package io.pigeonhole.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.Schema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** The README's first example does what it says, and is what the README says. */
class QuickStartIT {
    private static final Path TARGET = Path.of(System.getProperty("pigeonhole.target", "target"));

    @Test
    void readmeShowsTheProgramThatIsTested() throws IOException {
        Path root = Path.of("..").toAbsolutePath().normalize();
        String readme = Files.readString(root.resolve("README.md"));
        String program =
                Files.readString(root.resolve("examples/src/main/java/io/pigeonhole/examples/QuickStart.java"));

        String shown = between(readme, "```java\n", "```");
        String tested = between(program, "// README: begin\n", "// README: end");
        assertThat(shown).isEqualToIgnoringWhitespace(tested);
    }

    @Test
    void paymentThatIsDeliveredTwiceIsPaidOnce() throws Exception {
        Path directory = Files.createTempDirectory(Files.createDirectories(TARGET.resolve("quickstart")), "run-");
        CountDownLatch stopped = new CountDownLatch(1);
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(directory.resolve("postgres"));
                EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"))) {
            DataSource dataSource = postgres.dataSource("postgres");
            Schema.apply(dataSource);
            execute(dataSource, "CREATE TABLE account (id bigint PRIMARY KEY, balance bigint NOT NULL)");
            execute(dataSource, "INSERT INTO account VALUES (7, 100), (8, 0)");
            kafka.createTopic("payments", 2);

            CompletableFuture<Void> program = CompletableFuture.runAsync(() -> {
                try {
                    QuickStart.run(dataSource, Map.of("bootstrap.servers", kafka.bootstrapServers()), stopped);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            try {
                send(kafka, "one", "one", "two");
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(balance(dataSource, 8)).isEqualTo(5));
            } finally {
                stopped.countDown();
                program.join();
            }
            assertThat(balance(dataSource, 7)).isEqualTo(112);
        }
    }

    private static String between(String text, String begin, String end) {
        assertThat(text).contains(begin);
        String rest = text.substring(text.indexOf(begin) + begin.length());
        assertThat(rest).contains(end);
        return rest.substring(0, rest.indexOf(end));
    }

    /** One payment of 12 cents to account 7 for each id but the last, which is the end: 5 cents to account 8. */
    private static void send(EmbeddedKafka kafka, String... ids) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < ids.length; i++) {
                String payment = i < ids.length - 1 ? "{\"account\":7,\"amount\":12}" : "{\"account\":8,\"amount\":5}";
                ProducerRecord<String, String> record = new ProducerRecord<>("payments", "same key", payment);
                record.headers().add("message-id", ids[i].getBytes(StandardCharsets.UTF_8));
                record.headers().add("message-type", "payment.requested".getBytes(StandardCharsets.UTF_8));
                producer.send(record).get();
            }
        }
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long balance(DataSource dataSource, long account) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT balance FROM account WHERE id = " + account)) {
            assertThat(result.next()).isTrue();
            return result.getLong(1);
        }
    }
}
