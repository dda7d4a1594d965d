package io.pigeonhole.readme;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadmeExampleIT {
    private static final Pattern FIRST_EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?)// end", Pattern.DOTALL);

    @Test
    void theReadmeShowsWhatIsRunHere() throws IOException {
        assertThat(words(Path.of("..", "README.md"), FIRST_EXAMPLE))
                .isEqualTo(words(Path.of("src/test/java/io/pigeonhole/readme/ReadmeExample.java"), BETWEEN_MARKS));
    }

    @Test
    void aPaymentThatIsSentTwiceIsPaidOnce(@TempDir Path directory) throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(directory.resolve("postgres"));
                EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"))) {
            postgres.createDatabase("readme");
            DataSource dataSource = postgres.dataSource("readme");
            Schema.apply(dataSource);
            execute(dataSource, "CREATE TABLE account (id integer PRIMARY KEY, balance bigint NOT NULL)");
            execute(dataSource, "INSERT INTO account VALUES (1, 100), (2, 100)");
            kafka.createTopic("payments", 2);
            Map<String, Object> consumerConfig =
                    Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", "payments");
            CountDownLatch stopped = new CountDownLatch(1);
            CompletableFuture<Void> example =
                    CompletableFuture.runAsync(() -> run(dataSource, consumerConfig, stopped));

            send(kafka, "p-1", "{\"account\":1,\"amount\":25}");
            send(kafka, "p-1", "{\"account\":1,\"amount\":25}");
            send(kafka, "p-2", "{\"account\":2,\"amount\":-10}");

            await().atMost(ofSeconds(60)).until(() -> !example.isDone() && balance(dataSource, 2) == 90);
            send(kafka, "p-3", "{\"account\":1,\"amount\":1}");
            await().atMost(ofSeconds(60)).until(() -> !example.isDone() && balance(dataSource, 1) == 126);
            stopped.countDown();
            example.get(30, TimeUnit.SECONDS);
        }
    }

    private static void run(DataSource dataSource, Map<String, Object> consumerConfig, CountDownLatch stopped) {
        try {
            ReadmeExample.run(dataSource, consumerConfig, stopped);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void send(EmbeddedKafka kafka, String id, String json) throws Exception {
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            var record = new ProducerRecord<>(
                    "payments",
                    null,
                    "same key",
                    json,
                    List.of(
                            new RecordHeader("message-id", id.getBytes(UTF_8)),
                            new RecordHeader("message-type", "payment.requested".getBytes(UTF_8))));
            producer.send(record).get(30, TimeUnit.SECONDS);
        }
    }

    private static long balance(DataSource dataSource, int account) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = " + account)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String words(Path file, Pattern pattern) throws IOException {
        Matcher matcher = pattern.matcher(Files.readString(file));
        assertThat(matcher.find()).as("a piece of code in " + file).isTrue();
        return matcher.group(1).replaceAll("\\s+", "");
    }
}
