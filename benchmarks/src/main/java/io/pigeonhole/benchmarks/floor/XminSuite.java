package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Ratio;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.Variant;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/**
 * Puts the suite "xmin" together: how fast the workers are behind many messages that were finished, with and without a
 * transaction that keeps the server from forgetting their rows. Such a transaction is a long report, a dump, or a session
 * that somebody left open.
 */
final class XminSuite {
    private static final List<Ratio> RATIOS = List.of(new Ratio("work-held-xmin", "work", 0.5));

    private final DatabaseServer server;
    private final DataSource dataSource;
    private final Bank bank;
    private final ReceiveThenWork inbox;
    private final Workload before;
    private final Workload measured;

    private XminSuite(DatabaseServer server, int completions, int messages) {
        this.server = server;
        this.dataSource = server.dataSource();
        this.bank = new Bank(dataSource, FloorStatements.of(server.product()));
        this.inbox = ReceiveThenWork.deferred("bench-xmin", JdbcStore.create(dataSource));
        WorkloadShape shape = WorkloadShape.STANDARD.withoutDuplicates();
        this.before = Workload.generate(completions, shape, SystemTime.clock());
        this.measured = Workload.generate(messages, shape, SystemTime.clock());
    }

    /**
     * Creates the tables, registers the consumer and makes the messages.
     *
     * @param completions how many messages are finished before anything is measured
     * @param messages how many are measured
     */
    static Suite create(DatabaseServer server, int completions, int messages) throws SQLException {
        Schema.apply(server.dataSource());
        XminSuite suite = new XminSuite(server, completions, messages);
        suite.bank.create();
        return new Suite(
                "xmin", List.of(suite.new Work("work", false), suite.new Work("work-held-xmin", true)), RATIOS);
    }

    private Measurement measure(String name) throws Exception {
        inbox.run(before);
        inbox.receive(measured, StoreThenProcess.RECEIVERS);
        inbox.expect(measured.unique());
        CpuTime start = server.cpuTime();
        long began = System.nanoTime();
        Node node = inbox.start();
        long nanos;
        try {
            inbox.await();
            nanos = System.nanoTime() - began;
        } finally {
            node.close();
        }
        CpuTime spent = server.cpuTime().since(start);
        bank.audit(
                name,
                new Bank.Expected(
                        before.unique() + measured.unique(),
                        Math.max(before.unique(), measured.unique()),
                        before.sumOverUnique() + measured.sumOverUnique()));
        return new Measurement(measured.unique(), measured.unique(), nanos, spent);
    }

    /** Workers who have finished many messages and go on. */
    private final class Work implements Variant {
        private final String name;
        private final boolean held;

        Work(String name, boolean held) {
            this.name = name;
            this.held = held;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Measurement measure() throws Exception {
            bank.reset();
            if (!held) {
                return XminSuite.this.measure(name);
            }
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                statement.execute("SELECT txid_current(), count(*) FROM inbox_consumer");
                Measurement measurement = XminSuite.this.measure(name);
                connection.rollback();
                return measurement;
            }
        }
    }
}
