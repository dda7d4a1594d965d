package io.pigeonhole.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.crash.ChildJvm;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two processes publish the messages of a thousand keys and are killed again and again. {@code -Drelay.kills=200} kills as often as one
 * likes.
 */
@Tag("full")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class RelayKillsIT {
    private static final int KILLS = Integer.getInteger("relay.kills", DatabaseServer.isFull() ? 20 : 5);
    private static final int KEYS = 1_000;
    private static final int PARTITIONS = 8;
    private static final int OF_A_TRANSACTION = 50;
    private static final int MOST_WAITING = 4_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String TOPIC = "orders";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final EmbeddedPostgres postgres = EmbeddedPostgres.start(
            Path.of(System.getProperty("pigeonhole.target", "target")).resolve("postgres"));
    private final List<ChildJvm> processes = new ArrayList<>();
    private final Random random = new Random(20_261_129);
    private final AtomicInteger appended = new AtomicInteger();
    private final List<Arrived> arrived = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> ids = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean over;
    private volatile boolean allRead;
    private int born;

    @SuppressWarnings("NullAway.Init")
    private EmbeddedKafka kafka;

    /** A record that came out of the topic. */
    private record Arrived(String key, int number, String id) {}

    @BeforeEach
    void start() {
        postgres.createDatabase("relay");
        Schema.apply(dataSource());
        kafka = EmbeddedKafka.start(directory.resolve("kafka"));
        kafka.createTopic(TOPIC, PARTITIONS);
    }

    @AfterEach
    void stop() throws InterruptedException {
        over = true;
        allRead = true;
        for (ChildJvm process : processes) {
            process.kill();
        }
        kafka.close();
        postgres.close();
    }

    private DataSource dataSource() {
        return postgres.dataSource("relay");
    }

    @Test
    void noMessageIsLostOrComesBeforeTheOneBeforeItWhateverIsKilled() throws InterruptedException {
        Thread writer = run(this::append);
        Thread reader = run(this::read);
        processes.add(process());
        processes.add(process());
        for (int kill = 0; kill < KILLS; kill++) {
            int until = arrived.size() + 100 + random.nextInt(400);
            awaitThat(() -> arrived.size() >= until);
            int victim = random.nextInt(processes.size());
            assertThat(processes.get(victim).isAlive())
                    .as(processes.get(victim).output())
                    .isTrue();
            processes.get(victim).kill();
            processes.set(victim, process());
        }
        over = true;
        writer.join();
        awaitThat(() -> ids.size() >= appended.get());
        assertThat(JdbcStore.create(dataSource()).appendedTo(TOPIC)).isEmpty();
        allRead = true;
        reader.join();

        assertThat(failure.get()).isNull();
        assertThat(ids).hasSize(appended.get());
        assertThat(inversions()).isEmpty();
        int repeated = arrived.size() - appended.get();
        System.out.println(appended.get() + " messages, " + KILLS + " kills, " + repeated + " published twice");
        assertThat(repeated).isLessThanOrEqualTo(KILLS * RelayProcess.CONCURRENCY * RelayProcess.BATCH);
    }

    /** What comes for the first time although the one before it has not come. */
    private List<String> inversions() {
        Map<String, Set<Integer>> seen = new HashMap<>();
        List<String> inversions = new ArrayList<>();
        for (Arrived each : arrived) {
            Set<Integer> ofKey = seen.computeIfAbsent(each.key(), key -> new HashSet<>());
            if (ofKey.add(each.number()) && each.number() > 0 && !ofKey.contains(each.number() - 1)) {
                inversions.add(each.toString());
            }
        }
        return inversions;
    }

    private Thread run(Step step) {
        Thread thread = new Thread(() -> {
            try {
                step.run();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private interface Step {
        void run() throws Exception;
    }

    private void append() throws SQLException {
        JdbcStore store = JdbcStore.create(dataSource());
        try (Connection connection = dataSource().getConnection()) {
            connection.setAutoCommit(false);
            int number = 0;
            while (!over) {
                Outbox outbox = store.outbox(connection);
                for (int i = 0; i < OF_A_TRANSACTION; i++, number++) {
                    outbox.append(OutboxMessage.to(TOPIC)
                            .key("key " + number % KEYS)
                            .type("order")
                            .payload("" + number / KEYS)
                            .build());
                }
                connection.commit();
                appended.addAndGet(OF_A_TRANSACTION);
                awaitThat(() -> over || appended.get() - ids.size() < MOST_WAITING);
            }
        }
    }

    private void read() {
        Map<String, Object> config = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "group.id", "reader", "auto.offset.reset", "earliest");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            while (!allRead) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    String id = text(record.headers().lastHeader("message-id").value());
                    arrived.add(new Arrived(text(record.key()), Integer.parseInt(text(record.value())), id));
                    ids.add(id);
                }
            }
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private void awaitThat(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> {
            Throwable failed = failure.get();
            if (failed != null) {
                throw new AssertionError(failed);
            }
            return condition.call();
        });
    }

    private ChildJvm process() {
        Path output = Path.of(System.getProperty("pigeonhole.target", "target"), "relay", ++born + ".out");
        return ChildJvm.start(
                RelayProcess.class, output, List.of(postgres.url("relay"), kafka.bootstrapServers(), TOPIC));
    }
}
