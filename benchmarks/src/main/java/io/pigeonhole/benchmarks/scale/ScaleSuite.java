package io.pigeonhole.benchmarks.scale;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.InvariantBrokenException;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Ratio;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.Variant;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Puts the suite "scale" together: how fast messages are accepted with a full ledger and with an empty one, by what their ids
 * are. The handler does nothing, so that the ledger is all there is to be measured.
 */
final class ScaleSuite {
    /** How many threads hand messages in. */
    static final int THREADS = 4;

    private static final int BATCH = 100;
    private static final double TARGET = 0.9;
    private static final String CONSUMER = "bench-scale";
    private static final String TYPE = "something.happened";
    private static final byte[] PAYLOAD = new byte[100];

    private final DatabaseServer server;
    private final int messages;
    private final Random random = new Random();

    private ScaleSuite(DatabaseServer server, int messages) {
        this.server = server;
        this.messages = messages;
    }

    /**
     * Creates two inboxes side by side and fills the ledger of one.
     *
     * @param rows how many keys of each form the full ledger has
     * @param messages how many messages a measurement takes
     */
    static Suite create(DatabaseServer server, long rows, int messages) throws SQLException {
        ScaleSuite suite = new ScaleSuite(server, messages);
        Place empty = Place.create(server.schema("ledger_empty"));
        Place full = Place.create(server.schema("ledger_full"));
        full.rows().fill(CONSUMER, rows);
        List<Variant> variants = new ArrayList<>();
        List<Ratio> ratios = new ArrayList<>();
        for (IdKind kind : IdKind.values()) {
            Variant inEmpty = suite.new Acceptance(kind.label() + "-empty", kind, empty, true);
            Variant inFull = suite.new Acceptance(kind.label() + "-full", kind, full, false);
            variants.add(inEmpty);
            variants.add(inFull);
            ratios.add(new Ratio(inFull.name(), inEmpty.name(), kind == IdKind.TIME_ORDERED ? TARGET : 0));
        }
        return new Suite("scale", variants, ratios);
    }

    /** An inbox and its ledger. */
    private record Place(Inbox<?> inbox, LedgerRows rows) {
        static Place create(DataSource dataSource) {
            Schema.apply(dataSource);
            Inbox<?> inbox = Inbox.builder(CONSUMER, JdbcStore.create(dataSource))
                    .handle(TYPE, delivery -> delivery, (delivery, context) -> {})
                    .build();
            return new Place(inbox, new LedgerRows(dataSource));
        }
    }

    /** Messages that are all new. */
    private final class Acceptance implements Variant {
        private final String name;
        private final IdKind kind;
        private final Place place;
        private final boolean fromEmpty;

        Acceptance(String name, IdKind kind, Place place, boolean fromEmpty) {
            this.name = name;
            this.kind = kind;
            this.place = place;
            this.fromEmpty = fromEmpty;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Measurement measure() throws Exception {
            if (fromEmpty) {
                place.rows().empty();
            }
            List<List<Message>> batches = batches();
            place.rows().checkpoint();
            CpuTime before = server.cpuTime();
            long nanos = accept(batches);
            return new Measurement(messages, messages, nanos, server.cpuTime().since(before));
        }

        private List<List<Message>> batches() {
            Supplier<String> ids = kind.producer(random);
            List<List<Message>> batches = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
                if (i % BATCH == 0) {
                    batches.add(new ArrayList<>());
                }
                batches.get(batches.size() - 1)
                        .add(Message.builder("bench")
                                .id(ids.get())
                                .type(TYPE)
                                .payload(PAYLOAD)
                                .build());
            }
            return batches;
        }

        private long accept(List<List<Message>> batches) throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            try {
                long began = System.nanoTime();
                List<Future<?>> all = new ArrayList<>();
                batches.forEach(batch -> all.add(threads.submit(() -> accept(batch, place.inbox()))));
                for (Future<?> one : all) {
                    one.get();
                }
                return System.nanoTime() - began;
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            } finally {
                threads.shutdownNow();
            }
        }

        private void accept(List<Message> batch, Inbox<?> inbox) {
            for (Outcome outcome : inbox.process(batch)) {
                if (outcome.kind() != Outcome.Kind.PROCESSED) {
                    throw new InvariantBrokenException(name + ": all messages are new, yet the inbox said " + outcome);
                }
            }
        }
    }
}
