package io.pigeonhole.peers.outbox;

import io.pigeonhole.benchmarks.floor.MessageSink;
import io.pigeonhole.benchmarks.floor.MessageSinks;
import io.pigeonhole.benchmarks.floor.Workload;
import io.pigeonhole.benchmarks.floor.WorkloadShape;
import io.pigeonhole.benchmarks.load.UuidVersion;
import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.suite.Figure;
import io.pigeonhole.benchmarks.suite.Ratio;
import io.pigeonhole.benchmarks.suite.Round;
import io.pigeonhole.benchmarks.suite.Spread;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.Variant;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.peers.Versions;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Puts the suite "outbox" together: events from transactions to a topic, and what it costs to append them. */
final class OutboxSuite {
    private static final String PIGEONHOLE = "pigeonhole-relay";
    private static final String BARE = "bare-producer";
    private static final List<String> PEERS = List.of("transaction-outbox", "namastack-outbox");
    private static final int BATCH = 100;
    private static final WorkloadShape SHAPE = new WorkloadShape(4, UuidVersion.V7, 0);

    /** Events in a transaction, where they come at a rate. */
    private static final int PER_TRANSACTION = 10;

    private static final Writers LOAD = new Writers(4, PER_TRANSACTION);
    private static final Writers IDLE = new Writers(1, 1);
    private static final double IDLE_RATE = 20;
    private static final double FULL_RATE = 10_000;
    private static final double P99_UNDER_LOAD = 250;
    private static final double P99_IDLE = 50;

    private final Ground ground;
    private final Sizes sizes;
    private final Map<String, RelayPath> paths = new LinkedHashMap<>();
    private final RelayPath byPolling;

    private OutboxSuite(Ground ground, Sizes sizes) {
        this.ground = ground;
        this.sizes = sizes;
        DataSource dataSource = ground.server().dataSource();
        String brokers = ground.broker().bootstrapServers();
        paths.put(BARE, new BareProducer(brokers));
        paths.put(PIGEONHOLE, new PigeonholeRelay(dataSource, brokers, true));
        paths.put("transaction-outbox", new TransactionOutboxRelay(dataSource, brokers));
        paths.put("namastack-outbox", new NamastackRelay(dataSource, brokers));
        this.byPolling = new PigeonholeRelay(dataSource, brokers, false);
    }

    /** Creates the tables. */
    static OutboxSuite create(DatabaseServer server, EmbeddedKafka broker, Sizes sizes) throws Exception {
        OutboxSuite suite = new OutboxSuite(Ground.of(server, broker), sizes);
        for (RelayPath path : suite.paths.values()) {
            path.createTables();
        }
        return suite;
    }

    /** What each is, in which version and with which configuration. */
    Map<String, String> configurations() {
        Versions versions = new Versions();
        Map<String, String> configurations = new LinkedHashMap<>();
        configurations.put(
                "clients",
                "HikariCP " + versions.of("hikaricp") + ", PostgreSQL's JDBC driver " + versions.of("postgresql-jdbc")
                        + ", Spring Boot " + versions.of("spring-boot") + ", Spring Framework "
                        + versions.of("spring-framework"));
        paths.forEach((name, path) -> configurations.put(
                name, (PEERS.contains(name) ? versions.of(name) + ", " : "") + path.configuration()));
        configurations.put(
                "namastack-outbox 1.8.1, 1.8.0 and 1.7.0", "could not be resolved; 1.6.0 is the newest that could");
        return configurations;
    }

    /** The variants, and the ratios between them. */
    Suite suite() {
        List<Variant> variants = new ArrayList<>();
        paths.forEach((name, path) -> variants.add(new Throughput(name, path, events(name), ground)));
        addBusiness(variants);
        List<Ratio> ratios = new ArrayList<>();
        PEERS.forEach(peer -> ratios.add(new Ratio(PIGEONHOLE, peer, 3)));
        ratios.add(new Ratio(PIGEONHOLE, BARE, 0));
        ratios.add(new Ratio("update-append", "update", 0));
        ratios.add(new Ratio("inbox-deferred-append", "inbox-deferred", 0));
        return new Suite("outbox", variants, ratios);
    }

    private int events(String name) {
        return switch (name) {
            case BARE -> sizes.bare();
            case PIGEONHOLE -> sizes.relayed();
            default -> sizes.byPeers();
        };
    }

    private void addBusiness(List<Variant> variants) {
        DataSource dataSource = ground.server().dataSource();
        JdbcStore store = JdbcStore.create(dataSource);
        OutboxMessage toSend = OutboxMessage.to(PigeonholeRelay.DESTINATION)
                .type("balance.changed")
                .key("account-1")
                .payload(new Event(1).payload())
                .build();
        List<String> tables = byPolling.tables();
        Workload updates = Workload.generate(sizes.transactions(), SHAPE, SystemTime.clock());
        variants.add(new Business("update", updates, batch -> update(dataSource, batch), 1, tables, 0, ground));
        MessageSink appending = batch -> updateAndAppend(dataSource, store, toSend, batch);
        variants.add(new Business("update-append", updates, appending, 1, tables, updates.deliveries(), ground));
        Workload messages = Workload.generate(sizes.deferred(), SHAPE, SystemTime.clock());
        MessageSink deferred = MessageSinks.pigeonholeDeferred("bench-outbox-deferred", store);
        variants.add(new Business("inbox-deferred", messages, deferred, BATCH, tables, 0, ground));
        MessageSink handler = MessageSinks.pigeonholeAppending("bench-outbox-append", store, toSend);
        variants.add(
                new Business("inbox-deferred-append", messages, handler, BATCH, tables, messages.deliveries(), ground));
    }

    private static void update(DataSource dataSource, List<Message> batch) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Accounts.credit(connection, account(batch));
            connection.commit();
        }
    }

    private static void updateAndAppend(
            DataSource dataSource, JdbcStore store, OutboxMessage toSend, List<Message> batch) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Accounts.credit(connection, account(batch));
            var unusedId = store.outbox(connection).append(toSend);
            connection.commit();
        }
    }

    private static int account(List<Message> batch) {
        return (batch.get(0).hashCode() & Integer.MAX_VALUE) % Event.KEYS;
    }

    /** What is no speed: measured behind the rounds, when everything is warm. */
    List<Figure> figures(List<Round> rounds, boolean withLatencies) throws Exception {
        List<Figure> figures = new ArrayList<>();
        if (rounds.get(0).measurements().containsKey(PIGEONHOLE)) {
            figures.add(Figure.atLeast(PIGEONHOLE + ": sustained", speed(rounds, PIGEONHOLE), "events/s", FULL_RATE));
        }
        if (!withLatencies) {
            figures.add(load());
            return figures;
        }
        for (Map.Entry<String, RelayPath> one : paths.entrySet()) {
            String name = one.getKey();
            if (name.equals(BARE) || !rounds.get(0).measurements().containsKey(name)) {
                continue;
            }
            boolean isOurs = name.equals(PIGEONHOLE);
            double rate = isOurs ? FULL_RATE : Math.rint(speed(rounds, name) / 2 / 100) * 100;
            figures.addAll(underLoad(name, one.getValue(), rate, isOurs ? P99_UNDER_LOAD : 0));
            if (isOurs) {
                figures.addAll(underLoad(name, one.getValue(), FULL_RATE / 10, P99_UNDER_LOAD));
            }
            figures.addAll(idle(name, one.getValue(), isOurs ? P99_IDLE : 0));
        }
        figures.addAll(idle(PIGEONHOLE + " by store.outbox(connection)", byPolling, 0));
        figures.addAll(new IdleCost(byPolling, ground, Duration.ofSeconds(sizes.idleSeconds())).measure());
        figures.add(load());
        return figures;
    }

    /** How busy others kept the machine, and this run. */
    private static Figure load() {
        return Figure.of(
                "load average of the machine behind the run",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                "");
    }

    private List<Figure> underLoad(String name, RelayPath path, double rate, double p99) throws Exception {
        int events = (int) Math.max(PER_TRANSACTION * 10, rate * sizes.loadSeconds());
        return new LatencyRun(name, path, LOAD, Math.max(rate, 10), events, p99, ground).measure();
    }

    private List<Figure> idle(String name, RelayPath path, double p99) throws Exception {
        return new LatencyRun(name, path, IDLE, IDLE_RATE, sizes.idleEvents(), p99, ground).measure();
    }

    private static double speed(List<Round> rounds, String variant) {
        return Spread.of(rounds.stream()
                        .mapToDouble(round -> round.of(variant).messagesPerSecond())
                        .toArray())
                .median();
    }
}
