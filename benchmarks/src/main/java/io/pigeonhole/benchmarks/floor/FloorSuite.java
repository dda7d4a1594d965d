package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.floor.FloorVariant.Course;
import io.pigeonhole.benchmarks.load.UuidVersion;
import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.Product;
import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.InvariantBrokenException;
import io.pigeonhole.benchmarks.suite.Ratio;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.Variant;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Puts the suite "floor" together. */
final class FloorSuite implements FloorVariant.Ground {
    private static final int BATCH = 100;
    private static final String LEDGER_ROWS = "SELECT count(*) FROM inbox_ledger";
    private static final String UNFINISHED =
            "SELECT (SELECT count(*) FROM inbox_work) + (SELECT count(*) FROM inbox_dead_letter)";

    private static final List<Ratio> RATIOS = List.of(
            new Ratio("pigeonhole-batch", "floor-batch", 0.90),
            new Ratio("pigeonhole-deferred", "floor-batch-deferred", 0.75),
            new Ratio("pigeonhole-watermark", "floor-batch", 0.95),
            new Ratio("pigeonhole-watermark-deferred", "floor-batch-deferred", 0.90),
            new Ratio("pigeonhole-batch", "seed-loop", 5),
            new Ratio("pigeonhole-deferred", "seed-loop", 12),
            new Ratio("pigeonhole-receive", "store-then-process", 1),
            new Ratio("pigeonhole-message", "floor-message", 0),
            new Ratio("pigeonhole-message", "seed-loop", 0));

    /** On PostgreSQL only, whose arrays it is written with. */
    private static final String HAND_WRITTEN = "hand-batch-deferred";

    private static final Ratio TO_HAND_WRITTEN = new Ratio("pigeonhole-deferred", HAND_WRITTEN, 0.95);

    private final DatabaseServer server;
    private final DataSource dataSource;
    private final FloorStatements statements;
    private final Bank bank;
    private final WorkloadShape shape;
    private final List<Variant> variants = new ArrayList<>();

    private FloorSuite(DatabaseServer server, WorkloadShape shape) {
        this.server = server;
        this.dataSource = server.dataSource();
        this.statements = FloorStatements.of(server.product());
        this.bank = new Bank(dataSource, statements);
        this.shape = shape;
    }

    /** Creates the tables and registers the consumers, then makes the messages: their ids must not be older. */
    static Suite create(DatabaseServer server, Sizes sizes, WorkloadShape shape) throws SQLException {
        FloorSuite suite = new FloorSuite(server, shape);
        suite.bank.create();
        Schema.apply(server.dataSource());
        JdbcStore store = JdbcStore.create(server.dataSource());
        suite.addVariants(sizes, store);
        List<Ratio> ratios = new ArrayList<>(RATIOS);
        if (server.product() == Product.POSTGRESQL) {
            ratios.add(TO_HAND_WRITTEN);
        }
        return new Suite("floor", suite.variants, ratios);
    }

    private void addVariants(Sizes sizes, JdbcStore store) {
        ExactlyOnce message = ExactlyOnce.direct("bench-message", store);
        ExactlyOnce batch = ExactlyOnce.direct("bench-batch", store);
        ExactlyOnce deferred = ExactlyOnce.deferred("bench-deferred", store);
        ReceiveThenWork receive = ReceiveThenWork.direct("bench-receive", store);
        Workload perMessage = Workload.generate(sizes.perMessage(), shape, SystemTime.clock());
        Workload perBatch = Workload.generate(sizes.perBatch(), shape, SystemTime.clock());
        Workload inBulk = Workload.generate(sizes.deferred(), shape, SystemTime.clock());

        Course floorMessage = Course.into(new AtLeastOnce(dataSource), 1);
        Course floorBatch = Course.into(new AtLeastOnce(dataSource), BATCH);
        Course floorDeferred = Course.into(new AtLeastOnceDeferred(dataSource), BATCH);
        Course seedLoop = Course.into(new SeedLoop(dataSource, statements), 1);

        add(FloorVariant.atLeastOnce("floor-message", perMessage, floorMessage, this));
        add(FloorVariant.pigeonhole("pigeonhole-message", perMessage, Course.into(message, 1), this));
        add(FloorVariant.exactlyOnce("seed-loop", perMessage, seedLoop, this));
        add(FloorVariant.pigeonhole("pigeonhole-batch", perBatch, Course.into(batch, BATCH), this));
        add(FloorVariant.atLeastOnce("floor-batch", perBatch, floorBatch, this));
        add(FloorVariant.atLeastOnce(
                "pigeonhole-watermark", perBatch, FromLog.direct("bench-watermark", store, BATCH), this));
        add(FloorVariant.atLeastOnce("floor-batch-deferred", inBulk, floorDeferred, this));
        add(FloorVariant.atLeastOnce(
                "pigeonhole-watermark-deferred",
                inBulk,
                FromLog.deferred("bench-watermark-deferred", store, BATCH),
                this));
        if (server.product() == Product.POSTGRESQL) {
            Course handWritten = Course.into(new HandWrittenInbox(dataSource), BATCH);
            add(FloorVariant.exactlyOnce(HAND_WRITTEN, inBulk, handWritten, this));
        }
        add(FloorVariant.pigeonhole("pigeonhole-deferred", inBulk, Course.into(deferred, BATCH), this));
        add(FloorVariant.exactlyOnce(
                "store-then-process", perBatch, new StoreThenProcess(dataSource, server.product()), this));
        add(FloorVariant.pigeonhole("pigeonhole-receive", perBatch, receive, this));
    }

    private void add(Variant variant) {
        variants.add(variant);
    }

    @Override
    public void prepare() throws SQLException {
        bank.reset();
    }

    @Override
    public void check(FloorVariant variant) throws SQLException {
        bank.audit(variant.name(), variant.expected());
        if (variant.hasInbox()) {
            checkInbox(variant);
        }
    }

    @Override
    public CpuTime cpuTime() throws SQLException {
        return server.cpuTime();
    }

    /**
     * A ledger in another form, or messages that failed on the way, would be other work than the one to be measured. Random
     * ids have no time, so that their keys are digests.
     */
    private void checkInbox(FloorVariant variant) throws SQLException {
        long rows = count(LEDGER_ROWS);
        long digests = count(statements.digestKeys());
        long unfinished = count(UNFINISHED);
        int messages = variant.workload().unique();
        int withoutTime = shape.ids() == UuidVersion.V4 ? messages : 0;
        if (rows != messages || digests != withoutTime || unfinished != 0) {
            throw new InvariantBrokenException(variant.name() + " left " + rows + " ledger rows for " + messages
                    + " messages, " + digests + " of them without a time instead of " + withoutTime + ", and "
                    + unfinished + " failed messages");
        }
    }

    private long count(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
