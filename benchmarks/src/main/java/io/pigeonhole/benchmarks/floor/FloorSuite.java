package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.Variant;
import io.pigeonhole.core.time.SystemTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Puts the suite "floor" together. */
final class FloorSuite implements FloorVariant.Ground {
    private static final int BATCH = 100;

    private final DataSource dataSource;
    private final Bank bank;
    private final List<Variant> variants = new ArrayList<>();

    private FloorSuite(DataSource dataSource) {
        this.dataSource = dataSource;
        this.bank = new Bank(dataSource);
    }

    static Suite create(DataSource dataSource, Sizes sizes, int duplicatePercent) throws SQLException {
        FloorSuite suite = new FloorSuite(dataSource);
        suite.bank.create();
        suite.createSeedTable();
        suite.addVariants(sizes, duplicatePercent);
        return new Suite("floor", suite.variants, List.of());
    }

    private void addVariants(Sizes sizes, int duplicatePercent) {
        Workload perMessage = Workload.generate(sizes.perMessage(), duplicatePercent, SystemTime.clock());
        Workload perBatch = Workload.generate(sizes.perBatch(), duplicatePercent, SystemTime.clock());
        Workload deferred = Workload.generate(sizes.deferred(), duplicatePercent, SystemTime.clock());
        atLeastOnce("floor-message", 1, perMessage, new AtLeastOnce(dataSource));
        exactlyOnce("seed-loop", 1, perMessage, new SeedLoop(dataSource));
        atLeastOnce("floor-batch", BATCH, perBatch, new AtLeastOnce(dataSource));
        atLeastOnce("floor-batch-deferred", BATCH, deferred, new AtLeastOnceDeferred(dataSource));
    }

    private void atLeastOnce(String name, int batchSize, Workload workload, MessageSink sink) {
        variants.add(new FloorVariant(name, batchSize, workload, Bank.Expected.everyDelivery(workload), sink, this));
    }

    private void exactlyOnce(String name, int batchSize, Workload workload, MessageSink sink) {
        variants.add(new FloorVariant(name, batchSize, workload, Bank.Expected.everyMessageOnce(workload), sink, this));
    }

    private void createSeedTable() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(SeedLoop.TABLE);
        }
    }

    @Override
    public void prepare() throws SQLException {
        bank.reset("seed_inbox");
    }

    @Override
    public void check(FloorVariant variant) throws SQLException {
        bank.audit(variant.name(), variant.expected());
    }
}
