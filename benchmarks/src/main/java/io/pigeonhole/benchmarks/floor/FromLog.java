package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.floor.FloorVariant.Course;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.LogPosition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.jdbc.JdbcContext;
import java.util.ArrayList;
import java.util.List;

/**
 * Pigeonhole with watermarks: each partition of the workload is one of a log, so that every delivery has a place of its own and takes
 * effect, as on the floor. The log goes on from round to round.
 */
final class FromLog implements Course {
    private static final String LOG = "log:bench";

    private final Inbox<JdbcContext> inbox;
    private final int batchSize;

    private FromLog(
            String consumer, InboxStore<JdbcContext> store, int batchSize, Handler<Payment, JdbcContext> handler) {
        this.inbox = Inbox.builder(consumer, store)
                .deduplication(Deduplication.WATERMARKS)
                .handle(Workload.TYPE, Payment::of, handler)
                .build();
        this.batchSize = batchSize;
    }

    /** With the very business logic of the floor, on the connection that the handler is given. */
    static FromLog direct(String consumer, InboxStore<JdbcContext> store, int batchSize) {
        return new FromLog(
                consumer, store, batchSize, (payment, context) -> AtLeastOnce.apply(payment, context.connection()));
    }

    /** With the same two statements as deferred writes. */
    static FromLog deferred(String consumer, InboxStore<JdbcContext> store, int batchSize) {
        return new FromLog(consumer, store, batchSize, ExactlyOnce::deferPayment);
    }

    /** The places are given before the clock runs: a source does that with the rest of a record. */
    @Override
    public long run(Workload workload) throws Exception {
        List<List<Message>> partitions = new ArrayList<>();
        for (List<Message> messages : workload.partitions()) {
            partitions.add(placed(messages, partitions.size()));
        }
        return new Partitions(partitions, batchSize, partitions.size()).drainInto(this::accept);
    }

    private List<Message> placed(List<Message> messages, int partition) {
        Watermark owner = inbox.forSources().acquire(new LogPartition("payments", partition), LOG);
        if (!owner.hasPosition()) {
            owner = inbox.forSources().beginAt(owner, 0);
        }
        List<Message> placed = new ArrayList<>(messages.size());
        for (Message message : messages) {
            long offset = owner.position() + placed.size();
            placed.add(Message.builder(message.source())
                    .id(message.id())
                    .type(message.type())
                    .orderingKey(message.orderingKey())
                    .contentType(message.contentType())
                    .payload(message.payload())
                    .logPosition(new LogPosition(LOG, partition, offset, -1, owner.assignment(), offset))
                    .build());
        }
        return placed;
    }

    private void accept(List<Message> batch) {
        for (Outcome outcome : inbox.process(batch)) {
            if (outcome.kind() != Outcome.Kind.PROCESSED) {
                throw new IllegalStateException("each place is new, yet the inbox said " + outcome);
            }
        }
    }
}
