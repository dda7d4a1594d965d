package io.pigeonhole.peers;

import io.pigeonhole.benchmarks.floor.MessageSink;
import io.pigeonhole.benchmarks.floor.MessageSinks;
import io.pigeonhole.benchmarks.floor.Sizes;
import io.pigeonhole.benchmarks.floor.Workload;
import io.pigeonhole.benchmarks.floor.WorkloadShape;
import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.suite.Ratio;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.Variant;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Puts the suite "peers" together. */
final class PeersSuite {
    private static final int BATCH = 100;
    private static final List<String> ONE_BY_ONE =
            List.of("eventuate-tram", "spring-integration", "camel", "transaction-outbox", "seed-loop");
    private static final List<String> IN_BATCHES = List.of("spring-integration-batch", "camel-batch");

    private final DatabaseServer server;
    private final WorkloadShape shape;
    private final PeersDatabase database;
    private final Map<String, Peer> peers = new LinkedHashMap<>();
    private final List<Variant> variants = new ArrayList<>();

    private PeersSuite(DatabaseServer server, WorkloadShape shape, PeersDatabase database) {
        this.server = server;
        this.shape = shape;
        this.database = database;
    }

    /** Creates the tables and registers the consumers, then makes the messages: their ids must not be older. */
    static PeersSuite create(DatabaseServer server, Sizes sizes, WorkloadShape shape) throws Exception {
        PeersSuite suite = new PeersSuite(server, shape, new PeersDatabase(server));
        Schema.apply(server.dataSource());
        suite.addPeers();
        suite.addVariants(sizes);
        return suite;
    }

    /** The variants, and the ratios between them. */
    Suite suite() {
        return new Suite("peers", variants, ratios());
    }

    /** What the variants work on. */
    PeersDatabase database() {
        return database;
    }

    /** What each peer is, in which version and with which configuration. */
    Map<String, String> configurations() {
        Versions versions = new Versions();
        Map<String, String> configurations = new LinkedHashMap<>();
        configurations.put(
                "clients",
                "HikariCP " + versions.of("hikaricp") + ", PostgreSQL's JDBC driver " + versions.of("postgresql-jdbc")
                        + ", Spring Framework " + versions.of("spring-framework"));
        peers.forEach((name, peer) -> configurations.put(name, versions.of(name) + ", " + peer.configuration()));
        configurations.put("oncebox", "not measured: no release of it could be resolved");
        return configurations;
    }

    private void addPeers() throws Exception {
        DataSource dataSource = server.dataSource();
        SpringTransactions transactions = new SpringTransactions(dataSource);
        peers.put("eventuate-tram", new EventuateTram(transactions));
        peers.put("spring-integration", new SpringIntegration(transactions));
        peers.put("camel", new Camel(transactions));
        peers.put("transaction-outbox", new TransactionOutboxRequests(dataSource));
        for (Peer peer : peers.values()) {
            peer.createTables();
            database.add(peer.tables());
        }
    }

    private void addVariants(Sizes sizes) {
        DataSource dataSource = server.dataSource();
        JdbcStore store = JdbcStore.create(dataSource);
        MessageSink claim = new PigeonholeClaim("bench-claim", dataSource, store);
        MessageSink message = MessageSinks.pigeonhole("bench-message", store);
        MessageSink batch = MessageSinks.pigeonhole("bench-batch", store);
        MessageSink deferred = MessageSinks.pigeonholeDeferred("bench-deferred", store);
        MessageSink floor = MessageSinks.atLeastOnce(dataSource);

        Workload oneByOne = Workload.generate(sizes.perMessage(), shape, SystemTime.clock());
        variants.add(PeerVariant.atLeastOnce("floor-message", oneByOne, floor, 1, database));
        variants.add(PeerVariant.exactlyOnce("pigeonhole-claim", oneByOne, claim, 1, database));
        variants.add(PeerVariant.exactlyOnce("pigeonhole-message", oneByOne, message, 1, database));
        peers.forEach((name, peer) -> variants.add(PeerVariant.exactlyOnce(name, oneByOne, peer, 1, database)));
        variants.add(PeerVariant.exactlyOnce("seed-loop", oneByOne, MessageSinks.seedLoop(server), 1, database));

        Workload inBatches = Workload.generate(sizes.perBatch(), shape, SystemTime.clock());
        variants.add(PeerVariant.atLeastOnce("floor-batch", inBatches, floor, BATCH, database));
        variants.add(PeerVariant.exactlyOnce("pigeonhole-batch", inBatches, batch, BATCH, database));
        peers.forEach((name, peer) -> {
            if (IN_BATCHES.contains(name + "-batch")) {
                variants.add(PeerVariant.exactlyOnce(name + "-batch", inBatches, peer, BATCH, database));
            }
        });

        Workload inBulk = Workload.generate(sizes.deferred(), shape, SystemTime.clock());
        MessageSink floorDeferred = MessageSinks.atLeastOnceDeferred(dataSource);
        variants.add(PeerVariant.atLeastOnce("floor-batch-deferred", inBulk, floorDeferred, BATCH, database));
        variants.add(PeerVariant.exactlyOnce("pigeonhole-deferred", inBulk, deferred, BATCH, database));
    }

    private List<Ratio> ratios() {
        List<Ratio> ratios = new ArrayList<>();
        ratios.add(new Ratio("pigeonhole-claim", "floor-message", target(0.90, 0.75)));
        ratios.add(new Ratio("pigeonhole-message", "floor-message", target(0.85, 0.65)));
        ONE_BY_ONE.forEach(peer -> ratios.add(new Ratio(peer, "floor-message", 0)));
        ONE_BY_ONE.forEach(peer -> ratios.add(new Ratio("pigeonhole-claim", peer, 1)));
        ONE_BY_ONE.forEach(peer -> ratios.add(new Ratio("pigeonhole-message", peer, 1)));
        ratios.add(new Ratio("pigeonhole-batch", "floor-batch", 0.90));
        IN_BATCHES.forEach(peer -> ratios.add(new Ratio(peer, "floor-batch", 0)));
        IN_BATCHES.forEach(peer -> ratios.add(new Ratio("pigeonhole-batch", peer, 1)));
        ratios.add(new Ratio("pigeonhole-deferred", "floor-batch-deferred", 0.75));
        return ratios;
    }

    /** Targets exist for four threads and for one. */
    private double target(double fourThreads, double oneThread) {
        return switch (shape.threads()) {
            case 4 -> fourThreads;
            case 1 -> oneThread;
            default -> 0;
        };
    }
}
