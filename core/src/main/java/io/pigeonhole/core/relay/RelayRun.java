package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.relay.BrokerCircuit.Place;
import io.pigeonhole.core.store.Appended;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one batch of one work partition, in one transaction that keeps others out of the partition: reads, publishes, waits for
 * the confirmation, deletes what is confirmed, moves what is refused to work, commits. A crash before the commit leaves all of it to be
 * published again. Safe for use by many threads.
 */
final class RelayRun {
    /** How many messages are tried at a time while the broker is away. */
    private static final int A_FEW = 20;

    /** Of how many messages, picked at random: the first ones may be what is never taken. */
    private static final int SEEN_FOR_A_FEW = 1_000;

    /** What {@link #retry} and {@link #publish} answer where somebody else is in the work partition. */
    static final int TAKEN = -1;

    private final InboxStore<?> store;
    private final RegisteredConsumer consumer;
    private final String destination;
    private final Publisher publisher;
    private final RelaySettings settings;
    private final BrokerCircuit circuit;
    private final RelayCounts counts;
    private final LongSupplier nanos;

    RelayRun(
            InboxStore<?> store,
            RegisteredConsumer consumer,
            String destination,
            Publisher publisher,
            RelaySettings settings,
            BrokerCircuit circuit,
            RelayCounts counts,
            LongSupplier nanos) {
        this.store = store;
        this.consumer = consumer;
        this.destination = destination;
        this.publisher = new ReadablePublisher(publisher);
        this.settings = settings;
        this.circuit = circuit;
        this.counts = counts;
        this.nanos = nanos;
    }

    /** A part of the work, in a transaction that has entered its work partition. */
    private interface Step {
        /** Null where there is nothing to do. */
        @Nullable
        Writes in(InboxTransaction<?> transaction, BrokerCircuit.Permit permit);
    }

    /** Messages that were refused before and are due again; answers how many were brought further, or {@link #TAKEN}. */
    int retry(int workPartition, Consumer<Duration> dueIn) {
        return run(new Place(workPartition, true), (transaction, permit) -> {
            List<WorkItem> items = transaction.take(consumer, workPartition, limit(permit), settings.batchBytes());
            if (items.isEmpty()) {
                return null;
            }
            Published published =
                    publish(items.stream().map(WorkItem::message).toList(), new Place(workPartition, true), permit);
            Settled settled = new Settled(consumer, settings, counts, dueIn, published.ofMessages());
            for (int i = 0; i < items.size(); i++) {
                settled.add(items.get(i), published.outcome(i));
            }
            return settled;
        });
    }

    /** Messages that nobody has tried yet; answers how many were brought further, or {@link #TAKEN}. */
    int publish(int workPartition, Consumer<Duration> dueIn) {
        return run(new Place(workPartition, false), (transaction, permit) -> {
            Appended found =
                    transaction.appended(consumer, destination, workPartition, limit(permit), settings.batchBytes());
            List<AppendedMessage> appended = found.messages();
            if (appended.isEmpty()) {
                return null;
            }
            KeyGuard guard = new KeyGuard(transaction, consumer, workPartition);
            Set<OrderingKey> blocked = found.mayBeBlocked() ? guard.blocked(appended) : Set.of();
            List<AppendedMessage> free = appended.stream()
                    .filter(message -> isFree(message, blocked))
                    .toList();
            Moved moved = new Moved(consumer, destination, workPartition, settings, counts, dueIn, guard);
            if (!free.isEmpty()) {
                Published published = publish(
                        free.stream().map(AppendedMessage::message).toList(), new Place(workPartition, false), permit);
                for (int i = 0; i < free.size(); i++) {
                    moved.add(free.get(i), published.outcome(i), published.ofMessages());
                }
            }
            appended.stream().filter(message -> !isFree(message, blocked)).forEach(moved::addBehind);
            return moved;
        });
    }

    private static boolean isFree(AppendedMessage message, Set<OrderingKey> blocked) {
        OrderingKey key = OrderingKey.of(message.message());
        return key == null || !blocked.contains(key);
    }

    private int limit(BrokerCircuit.Permit permit) {
        return permit == BrokerCircuit.Permit.FEW
                ? Math.max(SEEN_FOR_A_FEW, settings.batchSize())
                : settings.batchSize();
    }

    /**
     * What became of messages.
     *
     * @param all of them
     * @param ofMessages whether what is unavailable is so by itself, as the broker takes others
     */
    private record Published(OrderedPublishing all, boolean ofMessages) {
        @Nullable
        Publication outcome(int index) {
            return all.outcome(index);
        }
    }

    private Published publish(List<Message> messages, Place place, BrokerCircuit.Permit permit) {
        int most = permit == BrokerCircuit.Permit.FEW ? Math.min(A_FEW, settings.batchSize()) : messages.size();
        OrderedPublishing published = new OrderedPublishing(
                        publisher, consumer.order().isKept(), messages, most, nanos)
                .run(settings.publishTimeout());
        boolean ofMessages = circuit.published(place, permit, published.hasConfirmed(), published.unavailable());
        return new Published(published, ofMessages);
    }

    private int run(Place place, Step step) {
        int workPartition = place.workPartition();
        BrokerCircuit.Permit permit = circuit.ask(place);
        if (permit == BrokerCircuit.Permit.NONE) {
            return 0;
        }
        try (InboxTransaction<?> transaction = store.begin(settings.idleLimit())) {
            if (!transaction.enter(consumer, workPartition)) {
                return TAKEN;
            }
            Writes writes = step.in(transaction, permit);
            int brought = writes == null ? 0 : writes.write(transaction);
            if (writes != null && brought > 0) {
                transaction.commit();
                writes.committed();
            }
            return brought;
        } catch (ClaimBlockedException e) {
            throw new RetryableException(
                    "others hold the messages to send in work partition " + workPartition + "; try again", e);
        } catch (StoreException e) {
            throw refusal(workPartition, e);
        } finally {
            circuit.gaveUp(permit);
        }
    }

    private static RetryableException refusal(int workPartition, StoreException e) {
        if (e.errorClass() == ErrorClass.UNAVAILABLE) {
            return new StoreUnavailableException(
                    "the database is away or refuses to commit: " + FailureText.messageOf(e), e);
        }
        return new RetryableException(
                "not all that was to be written about messages to send in work partition " + workPartition
                        + " could be; those that could not be deleted are published again",
                e);
    }
}
