package io.pigeonhole.peers.outbox;

import java.util.List;

/** No database: what a producer does that has nothing else to do. */
final class BareProducer implements RelayPath {
    private final String bootstrapServers;

    BareProducer(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    @Override
    public String configuration() {
        return "KafkaProducer.send without a database, acks=all, idempotent, linger.ms=0";
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
    public Running start(String topic, Flights flights) {
        KafkaSender sender = new KafkaSender(bootstrapServers, topic, flights);
        return new Running() {
            @Override
            public void commit(List<Event> events, Runnable beforeCommit) {
                beforeCommit.run();
                for (Event event : events) {
                    // Its confirmation is counted where it arrives.
                    var unused = sender.send(event.key(), event.payload());
                }
            }

            @Override
            public void close() {
                sender.close();
            }
        };
    }
}
