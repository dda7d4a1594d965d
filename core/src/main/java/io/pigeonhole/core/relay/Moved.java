package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
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
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of messages that were tried for the first time. Those that are published are deleted; those that are refused are moved to
 * the work of the relay's consumer, or to its dead letters, where they are what any other message is that failed; and those that
 * have to wait behind one with their key are moved behind it, so that nothing in the table of the outbox is in the way of others.
 * Used by one thread.
 */
final class Moved implements Writes {
    private static final Logger log = LoggerFactory.getLogger(Moved.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final RegisteredConsumer consumer;
    private final String destination;
    private final int workPartition;
    private final RelaySettings settings;
    private final RelayCounts counts;
    private final Consumer<Duration> dueIn;
    private final KeyGuard guard;
    private final List<Long> published = new ArrayList<>();
    private final List<Move> moves = new ArrayList<>();
    private int ignored;
    private final List<Move> moved = new ArrayList<>();
    private @Nullable RuntimeException notMoved;

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

    /**
     * What was not tried stays where it is, and what is unavailable as all the broker is.
     *
     * @param unavailableByItself whether the broker takes others than what is unavailable: then that goes out of their way
     */
    void add(AppendedMessage appended, @Nullable Publication outcome, boolean unavailableByItself) {
        if (outcome instanceof Publication.Confirmed) {
            published.add(appended.position());
        } else if (outcome instanceof Publication.Refused refused) {
            refused(appended, refused.cause());
        } else if (outcome instanceof Publication.Unavailable && unavailableByItself) {
            addBehind(appended);
        }
    }

    private void refused(AppendedMessage appended, Throwable cause) {
        Message message = appended.message();
        FailedAttempt attempt = Attempts.failed(1, settings, cause);
        RetryDecision decision = Attempts.decide(settings, message, 1, Duration.ZERO, cause);
        if (decision instanceof RetryDecision.Retry retry) {
            moves.add(new Move.Park(
                    appended.position(), new ParkedMessage(key(message), message, retry.delay(), attempt)));
        } else if (decision instanceof RetryDecision.GiveUp giveUp) {
            DeadLetter letter = new DeadLetter(
                    key(message), message, giveUp.reason(), FailureText.describeWithCause(cause), true, attempt);
            moves.add(new Move.GiveUp(appended.position(), letter));
        } else {
            published.add(appended.position());
            ignored++;
            log.info(
                    "{}: {} is dropped, as its retry policy ignores {}",
                    consumer.name(),
                    message,
                    FailureText.classOf(cause));
        }
    }

    /** It waits, without an attempt. */
    void addBehind(AppendedMessage appended) {
        Message message = appended.message();
        moves.add(new Move.Wait(appended.position(), new ReceivedMessage(key(message), message, false)));
    }

    private MessageKey key(Message message) {
        MessageId id = Objects.requireNonNull(message.id(), "a message of an outbox has an id");
        return consumer.keys().keyOf(message.source(), id);
    }

    /** What cannot be moved stays where it is: it keeps nothing that is published from being deleted. */
    @Override
    public int write(InboxTransaction<?> transaction) {
        transaction.removeAppended(destination, workPartition, published);
        if (!moves.isEmpty()) {
            transaction.savepoint();
            try {
                move(transaction);
            } catch (StoreException | ConsumerPausedException e) {
                if (published.isEmpty()) {
                    throw e;
                }
                // What the broker has is deleted, whatever keeps the others from being moved for now.
                transaction.rollbackToSavepoint();
                notMoved = e;
            }
        }
        return published.size() + moved.size();
    }

    private void move(InboxTransaction<?> transaction) {
        guard.lock();
        transaction.savepoint();
        if (isMoved(transaction, moves)) {
            moved.addAll(moves);
        } else if (moves.size() > 1) {
            moveOneByOne(transaction);
        }
    }

    private void moveOneByOne(InboxTransaction<?> transaction) {
        Set<OrderingKey> staying = new HashSet<>();
        for (Move move : moves) {
            OrderingKey key = OrderingKey.of(move.message());
            boolean stays = key != null && staying.contains(key);
            if (!stays && isMoved(transaction, List.of(move))) {
                transaction.savepoint();
                moved.add(move);
            } else if (key != null) {
                // What is behind it would come before it.
                staying.add(key);
            }
        }
    }

    private boolean isMoved(InboxTransaction<?> transaction, List<Move> some) {
        try {
            move(transaction, some);
            return true;
        } catch (StoreException e) {
            if (!e.errorClass().isRefusal()) {
                throw e;
            }
            transaction.rollbackToSavepoint();
            if (some.size() == 1) {
                log.warn(
                        "{}: the database does not take {} among the messages that wait; it stays in the outbox, and is tried again",
                        consumer.name(),
                        some.get(0).key(),
                        FailureText.readable(e));
            }
            return false;
        }
    }

    /** From here on they are messages of an inbox, which are known by their keys. */
    private void move(InboxTransaction<?> transaction, List<Move> some) {
        Set<MessageKey> keys = new TreeSet<>();
        some.forEach(move -> keys.add(move.key()));
        Set<MessageKey> claimed =
                transaction.claim(consumer, List.copyOf(keys), TIMEOUT).claimed();
        List<ParkedMessage> parked = new ArrayList<>();
        List<ReceivedMessage> waiting = new ArrayList<>();
        List<DeadLetter> dead = new ArrayList<>();
        for (Move each : some) {
            Move move = claimed.contains(each.key()) ? each : each.known();
            if (move instanceof Move.Park park) {
                parked.add(park.parked());
            } else if (move instanceof Move.Wait wait) {
                waiting.add(wait.received());
            } else if (move instanceof Move.GiveUp giveUp) {
                dead.add(giveUp.letter());
            }
        }
        transaction.park(consumer, parked);
        transaction.receive(consumer, waiting);
        transaction.deadLetter(consumer, dead);
        transaction.removeAppended(
                destination, workPartition, some.stream().map(Move::position).toList());
    }

    @Override
    public void committed() {
        int refused = 0;
        int dead = 0;
        for (Move move : moved) {
            if (move instanceof Move.Park park) {
                dueIn.accept(park.parked().dueIn());
                refused++;
            } else if (move instanceof Move.Wait) {
                dueIn.accept(Duration.ZERO);
            } else if (move instanceof Move.GiveUp giveUp) {
                dead++;
                DeadLetters.warn(consumer, giveUp.letter());
            }
        }
        counts.add(published.size() - ignored, refused, dead);
        if (notMoved != null) {
            log.warn(
                    "{}: {} messages are published and deleted; others could not be moved to those that wait, and are tried again",
                    consumer.name(),
                    published.size(),
                    FailureText.readable(notMoved));
        }
    }
}
