package io.pigeonhole.peers.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.Product;
import io.pigeonhole.benchmarks.suite.Figure;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Ratio;
import io.pigeonhole.benchmarks.suite.Round;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.SuiteResult;
import io.pigeonhole.benchmarks.suite.SuiteRunner;
import io.pigeonhole.embedded.EmbeddedKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole suite in small: that everybody publishes everything and that it is checked, not how fast it is. */
@Tag("full")
class OutboxSuiteIT {
    private static final Sizes TINY = new Sizes(500, 500, 300, 200, 400, 1, 1, 10, 1);
    private static final Path FILES = Path.of(System.getProperty("pigeonhole.target"));

    @Test
    void everyOutboxPublishesEverythingAndIsMeasured() throws Exception {
        try (DatabaseServer server = DatabaseServer.start(Product.POSTGRESQL, FILES, 24);
                EmbeddedKafka broker = EmbeddedKafka.start(FILES.resolve("kafka"))) {
            OutboxSuite outboxes = OutboxSuite.create(server, broker, TINY);
            Suite suite = outboxes.suite();

            List<Round> rounds = new SuiteRunner(suite, Duration.ofDays(1), line -> {}).run(1);
            List<Figure> figures = outboxes.figures(rounds, true);

            SuiteResult result = new SuiteResult(suite, outboxes.configurations(), rounds, figures);
            assertThat(suite.variants())
                    .allSatisfy(variant ->
                            assertThat(result.violations(variant.name())).isEmpty());
            assertThat(suite.ratios())
                    .extracting(Ratio::name)
                    .contains("pigeonhole-relay/transaction-outbox", "pigeonhole-relay/namastack-outbox");
            assertThat(figures)
                    .extracting(Figure::name)
                    .anySatisfy(name -> assertThat(name)
                            .startsWith("pigeonhole-relay, 10,000 events/s offered")
                            .endsWith("p99"));
            assertThat(figures).allSatisfy(figure -> assertThat(figure.value()).isNotNegative());
        }
    }

    @Test
    void whoPublishesNothingOrInAnotherOrderIsFoundOut() throws Exception {
        try (DatabaseServer server = DatabaseServer.start(Product.POSTGRESQL, FILES, 24);
                EmbeddedKafka broker = EmbeddedKafka.start(FILES.resolve("kafka"))) {
            Ground ground = Ground.of(server, broker);
            RelayPath bare = new BareProducer(broker.bootstrapServers());

            Measurement lossy = new Throughput("lossy", new Careless(bare, 0), 2_100, ground).measure();
            Measurement disorderly = new Throughput("disorderly", new Careless(bare, 1_001), 2_100, ground).measure();

            assertThat(lossy.violation()).isEqualTo("1 of 2100 events are not in the topic");
            assertThat(disorderly.violation()).isEqualTo("1 events are behind a later one of their key");
        }
    }

    /**
     * Holds back the event with the number 1, and says that it is confirmed.
     *
     * @param behind the number of the event behind which it is sent, 0 for none
     */
    private record Careless(RelayPath other, int behind) implements RelayPath {
        @Override
        public String configuration() {
            return "careless";
        }

        @Override
        public void createTables() {}

        @Override
        public List<String> tables() {
            return List.of();
        }

        @Override
        public String left() {
            return "SELECT 0";
        }

        @Override
        public boolean isOrdered() {
            return true;
        }

        @Override
        public Running start(String topic, Flights flights) throws Exception {
            Running running = other.start(topic, flights);
            return new Running() {
                @Override
                public void commit(List<Event> events, Runnable beforeCommit) throws Exception {
                    running.commit(
                            events.stream().filter(event -> event.number() != 1).toList(), beforeCommit);
                    Map<Integer, Event> later = Map.of(behind, new Event(1));
                    for (Event event : events) {
                        if (event.number() == 1) {
                            flights.confirmed(1);
                        }
                        if (event.number() > 0 && later.containsKey(event.number())) {
                            running.commit(List.of(new Event(1)), () -> {});
                        }
                    }
                }

                @Override
                public void close() {
                    running.close();
                }
            };
        }
    }
}
