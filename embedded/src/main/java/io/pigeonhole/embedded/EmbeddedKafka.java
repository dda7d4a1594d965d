package io.pigeonhole.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * One Kafka broker inside this JVM, with its own controller (KRaft), on the loopback interface. It keeps its data in the
 * directory that it is given, and takes up again what it finds there. Safe for use by many threads.
 *
 * <p>The server's classes are internal to Kafka and promise nothing between versions; this class is the only one that
 * knows them.
 */
public final class EmbeddedKafka implements AutoCloseable {
    private static final int NODE = 1;
    private static final int START_ATTEMPTS = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private final KafkaRaftServer server;
    private final Ports ports;

    /**
     * Where the broker listens.
     *
     * @param broker for clients
     * @param controller for itself
     * @param proxied for a proxy
     * @param proxy the address that the broker advertises to clients that come through the proxy
     */
    private record Ports(int broker, int controller, int proxied, int proxy) {}

    private EmbeddedKafka(KafkaRaftServer server, Ports ports) {
        this.server = server;
        this.ports = ports;
    }

    /**
     * Starts a broker and waits until it answers. Ports are free ones, others at each start.
     *
     * @param directory where the broker keeps its data; made if it is not there
     * @return the running broker
     * @throws IllegalStateException if it does not start
     */
    public static EmbeddedKafka start(Path directory) {
        return startBehind(directory, 0);
    }

    /**
     * The same with a second port, {@link #proxiedPort}, for a proxy.
     *
     * @param directory where the broker keeps its data; made if it is not there
     * @param proxy the port of the proxy, which the broker advertises to clients that come through it; 0 for no proxy
     * @return the running broker
     * @throws IllegalStateException if it does not start
     */
    public static EmbeddedKafka startBehind(Path directory, int proxy) {
        for (int attempt = 1; ; attempt++) {
            int proxied = freePort();
            Ports ports = new Ports(freePort(), freePort(), proxied, proxy == 0 ? proxied : proxy);
            try {
                return start(directory, ports);
            } catch (RuntimeException e) {
                // Between the search for a port and its use, somebody else may take it.
                if (attempt == START_ATTEMPTS) {
                    throw new IllegalStateException("Kafka did not start in " + directory, e);
                }
            }
        }
    }

    private static EmbeddedKafka start(Path directory, Ports ports) {
        format(directory);
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties(directory, ports), false), Time.SYSTEM);
        EmbeddedKafka kafka = new EmbeddedKafka(server, ports);
        try {
            server.startup();
            kafka.awaitAnswer();
            return kafka;
        } catch (RuntimeException e) {
            kafka.close();
            throw e;
        }
    }

    private static Properties properties(Path directory, Ports ports) {
        Properties properties = new Properties();
        properties.putAll(Map.ofEntries(
                Map.entry("process.roles", "broker,controller"),
                Map.entry("node.id", String.valueOf(NODE)),
                Map.entry("controller.quorum.voters", NODE + "@127.0.0.1:" + ports.controller()),
                Map.entry(
                        "listeners",
                        "PLAINTEXT://127.0.0.1:" + ports.broker() + ",PROXIED://127.0.0.1:" + ports.proxied()
                                + ",CONTROLLER://127.0.0.1:" + ports.controller()),
                Map.entry(
                        "advertised.listeners",
                        "PLAINTEXT://127.0.0.1:" + ports.broker() + ",PROXIED://127.0.0.1:" + ports.proxy()),
                Map.entry("inter.broker.listener.name", "PLAINTEXT"),
                Map.entry("controller.listener.names", "CONTROLLER"),
                Map.entry(
                        "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT"),
                Map.entry("log.dirs", directory.toString()),
                Map.entry("auto.create.topics.enable", "false"),
                // With the default, the first member of a group waits three seconds for others.
                Map.entry("group.initial.rebalance.delay.ms", "0"),
                // One broker, and no more threads and files than tests need.
                Map.entry("offsets.topic.replication.factor", "1"),
                Map.entry("offsets.topic.num.partitions", "1"),
                Map.entry("transaction.state.log.replication.factor", "1"),
                Map.entry("transaction.state.log.min.isr", "1"),
                Map.entry("transaction.state.log.num.partitions", "1"),
                Map.entry("share.coordinator.state.topic.replication.factor", "1"),
                Map.entry("share.coordinator.state.topic.min.isr", "1"),
                Map.entry("share.coordinator.state.topic.num.partitions", "1"),
                Map.entry("num.network.threads", "2"),
                Map.entry("num.io.threads", "2"),
                Map.entry("log.cleaner.dedupe.buffer.size", String.valueOf(4 * 1024 * 1024)),
                // Rebalances and evictions are tested with sessions shorter than the broker's usual 6 s.
                Map.entry("group.min.session.timeout.ms", "500")));
        return properties;
    }

    private static void format(Path directory) {
        if (Files.exists(directory.resolve("meta.properties"))) {
            return;
        }
        Formatter formatter = new Formatter()
                .setClusterId(Uuid.randomUuid().toString())
                .setNodeId(NODE)
                .setControllerListenerName("CONTROLLER")
                .setMetadataLogDirectory(directory.toString())
                .setReleaseVersion(MetadataVersion.latestProduction())
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8));
        formatter.addDirectory(directory.toString());
        formatter.setHasDynamicQuorum(false);
        try {
            Files.createDirectories(directory);
            formatter.run();
        } catch (Exception e) {
            throw new IllegalStateException("cannot format " + directory, e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitAnswer() {
        try (Admin admin = admin()) {
            await(admin.describeCluster().nodes().toCompletionStage().toCompletableFuture());
        }
    }

    /**
     * Where clients connect to.
     *
     * @return host and port
     */
    public String bootstrapServers() {
        return "127.0.0.1:" + ports.broker();
    }

    /**
     * Where a proxy connects to.
     *
     * @return the port
     */
    public int proxiedPort() {
        return ports.proxied();
    }

    /**
     * A client for administration.
     *
     * @return a new client, to be closed by the caller
     */
    public Admin admin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()));
    }

    /**
     * Creates a topic and waits until the broker leads its partitions. A producer that comes sooner can have its first batch
     * refused and its second taken, and is then out of sequence until its delivery timeout, two minutes later.
     *
     * @param name the topic's name
     * @param partitions how many partitions
     */
    public void createTopic(String name, int partitions) {
        try (Admin admin = admin()) {
            await(admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                    .all()
                    .toCompletionStage()
                    .toCompletableFuture());
            Map<TopicPartition, OffsetSpec> starts = IntStream.range(0, partitions)
                    .boxed()
                    .collect(Collectors.toMap(
                            partition -> new TopicPartition(name, partition), partition -> OffsetSpec.earliest()));
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (!isServed(admin, starts) && System.nanoTime() < deadline) {
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private static boolean isServed(Admin admin, Map<TopicPartition, OffsetSpec> starts) {
        try {
            await(admin.listOffsets(starts).all().toCompletionStage().toCompletableFuture());
            return true;
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof ExecutionException failed
                    && failed.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw e;
        }
    }

    private static void await(CompletableFuture<?> answer) {
        try {
            answer.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for Kafka", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("Kafka did not answer well", e);
        }
    }

    /** Stops the broker in an orderly way and waits for it. The data stay. */
    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }
}
