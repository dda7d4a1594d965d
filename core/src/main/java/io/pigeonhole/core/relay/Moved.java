package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.retry.RetryDecision;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of messages that were tried for the first time. Those that are published are deleted; those that are refused are moved to
 * the work of the relay's consumer, or to its dead letters, where they are what any other message is that failed; and those that
 * have to wait behind one with their key are moved behind it, so that nothing in the table of the outbox is in the way of others.
 * Used by one thread.
 */
final class Moved implements Writes {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final RegisteredConsumer consumer;
    private final String destination;
    private final int workPartition;
    private final RelaySettings settings;
    private final RelayCounts counts;
    private final Consumer<Duration> dueIn;
    private final KeyGuard guard;
    private final List<Long> positions = new ArrayList<>();
    private final List<ParkedMessage> parked = new ArrayList<>();
    private final List<ReceivedMessage> behind = new ArrayList<>();
    private final List<DeadLetter> dead = new ArrayList<>();
    /** All that are moved. */
    private final SortedMap<MessageKey, Message> keys = new TreeMap<>();

    private int published;

    Moved(
            RegisteredConsumer consumer,
            String destination,
            int workPartition,
            RelaySettings settings,
            RelayCounts counts,
            Consumer<Duration> dueIn,
            KeyGuard guard) {
        this.guard = guard;
        this.consumer = consumer;
        this.destination = destination;
        this.workPartition = workPartition;
        this.settings = settings;
        this.counts = counts;
        this.dueIn = dueIn;
    }

    /** What was not tried, or could not be said, stays where it is. */
    void add(AppendedMessage appended, @Nullable Publication outcome) {
        if (outcome instanceof Publication.Confirmed) {
            published(appended);
        } else if (outcome instanceof Publication.Refused refused) {
            refused(appended, refused.cause());
        }
    }

    private void published(AppendedMessage appended) {
        positions.add(appended.position());
        published++;
    }

    private void refused(AppendedMessage appended, Throwable cause) {
        Message message = appended.message();
        FailedAttempt attempt = Attempts.failed(1, settings, cause);
        RetryDecision decision = Attempts.decide(settings, message, 1, Duration.ZERO, cause);
        if (decision instanceof RetryDecision.Retry retry) {
            positions.add(appended.position());
            parked.add(new ParkedMessage(key(message), message, retry.delay(), attempt));
        } else if (decision instanceof RetryDecision.GiveUp giveUp) {
            positions.add(appended.position());
            dead.add(new DeadLetter(
                    key(message), message, giveUp.reason(), FailureText.describeWithCause(cause), true, attempt));
        } else {
            published(appended);
        }
    }

    /** Its key is blocked: it waits in the same queue. */
    void addBehind(AppendedMessage appended) {
        positions.add(appended.position());
        behind.add(new ReceivedMessage(key(appended.message()), appended.message(), false));
    }

    private MessageKey key(Message message) {
        MessageId id = Objects.requireNonNull(message.id(), "a message of an outbox has an id");
        MessageKey key = consumer.keys().keyOf(message.source(), id);
        keys.put(key, message);
        return key;
    }

    @Override
    public int write(InboxTransaction<?> transaction) {
        Set<MessageKey> others = notClaimed(transaction);
        transaction.park(consumer, without(parked, ParkedMessage::key, others));
        transaction.receive(consumer, without(behind, ReceivedMessage::key, others));
        List<DeadLetter> letters = without(dead, DeadLetter::key, others);
        keys.forEach((key, message) -> {
            if (others.contains(key)) {
                letters.add(known(key, message));
            }
        });
        transaction.deadLetter(consumer, letters);
        transaction.removeAppended(destination, workPartition, positions);
        return positions.size();
    }

    /** From here on they are messages of an inbox, which are known by their keys; and the keys of those that were so before. */
    private Set<MessageKey> notClaimed(InboxTransaction<?> transaction) {
        if (keys.isEmpty()) {
            return Set.of();
        }
        guard.lock();
        Set<MessageKey> others = new TreeSet<>(keys.keySet());
        others.removeAll(
                transaction.claim(consumer, List.copyOf(keys.keySet()), TIMEOUT).claimed());
        return others;
    }

    private interface KeyOf<T> {
        MessageKey of(T message);
    }

    private static <T> List<T> without(List<T> messages, KeyOf<T> keyOf, Set<MessageKey> others) {
        List<T> some = new ArrayList<>(messages);
        some.removeIf(message -> others.contains(keyOf.of(message)));
        return some;
    }

    private static DeadLetter known(MessageKey key, Message message) {
        return new DeadLetter(
                key,
                message,
                DeadReason.CONFLICT,
                "a message with this id was refused before: somebody has copied it in the table of the outbox",
                false,
                null);
    }

    @Override
    public void committed() {
        parked.forEach(message -> dueIn.accept(message.dueIn()));
        counts.add(published, parked.size(), dead.size());
    }
}
