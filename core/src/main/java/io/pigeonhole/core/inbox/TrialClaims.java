package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.time.SystemTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims that are rolled back: what they meet says what the ledger has, where it ends, and whether the database takes messages. */
final class TrialClaims<C extends HandlerContext> {
    private static final Logger log = LoggerFactory.getLogger(TrialClaims.class);

    /** In the first half of a key in time form, behind the milliseconds. */
    private static final long BITS_BEHIND_TIME = 0xFFFF;

    private static final long ANSWER_HOLDS = Duration.ofMillis(100).toNanos();

    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final LongSupplier nanos;
    private final AtomicLong takenUntil;

    /**
     * For one inbox.
     *
     * @param nanos as {@link System#nanoTime}
     */
    TrialClaims(InboxStore<C> store, RegisteredConsumer consumer, EngineSettings settings, LongSupplier nanos) {
        this.nanos = nanos;
        this.takenUntil = new AtomicLong(nanos.getAsLong());
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
    }

    /**
     * Creates the days that are missing, and claims a key that is always behind its end, to see where that is now. Null where the
     * database does not say, which is no reason to fail at messages that are in time.
     *
     * @throws ConsumerPausedException as for messages that are in time, and before any work is done for it
     */
    @Nullable
    MessageKey endOfLedger() {
        try {
            return requireEndOfLedger();
        } catch (ConsumerPausedException | StoreUnavailableException e) {
            throw e;
        } catch (RetryableException e) {
            log.debug("consumer '{}': it could not be asked where the ledger ends", consumer.name(), e);
            return null;
        }
    }

    /**
     * The same for messages whose key depends on it.
     *
     * @throws RetryableException where the database does not say
     */
    MessageKey requireEndOfLedger() {
        try {
            return askedEnd();
        } catch (ConsumerPausedException e) {
            throw e;
        } catch (PigeonholeException e) {
            probeIfAway(e);
            throw notAsked(e);
        }
    }

    /** Where no days can be created, it ends where it did. */
    private MessageKey askedEnd() {
        MessageKey end = claimedEnd();
        try {
            store.maintain();
        } catch (PigeonholeException e) {
            probeIfAway(e);
            log.debug("consumer '{}': the ledger could not be maintained", consumer.name(), e);
            return end;
        }
        return claimedEnd();
    }

    private void probeIfAway(PigeonholeException failure) {
        if (store.classify(failure) == ErrorClass.UNAVAILABLE) {
            store.probe();
        }
    }

    private MessageKey claimedEnd() {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            return transaction
                    .claim(consumer, List.of(MessageKey.LAST_WITH_TIME), settings.concurrentDuplicateTimeout())
                    .newest();
        }
    }

    /** Where the database refuses, each key is asked for by itself. */
    IdsFarAhead.Answer knownByDigestKey(List<MessageKey> sorted) {
        try {
            return askByDigestKey(sorted);
        } catch (StoreException e) {
            store.probe();
            if (sorted.size() > 1 && isRefusal(e)) {
                return knownOneByOne(sorted);
            }
            if (!isRefusal(e) || !isAnyTaken(e)) {
                throw notAsked(e);
            }
            return new IdsFarAhead.Answer(Set.of(), Set.of(), Map.of(sorted.get(0), e));
        }
    }

    private IdsFarAhead.Answer knownOneByOne(List<MessageKey> sorted) {
        Set<MessageKey> known = new HashSet<>();
        Set<MessageKey> busy = new HashSet<>();
        Map<MessageKey, StoreException> refused = new HashMap<>();
        for (MessageKey key : sorted) {
            IdsFarAhead.Answer answer = knownByDigestKey(List.of(key));
            known.addAll(answer.known());
            busy.addAll(answer.busy());
            refused.putAll(answer.refused());
        }
        return new IdsFarAhead.Answer(known, busy, refused);
    }

    private static RetryableException notAsked(PigeonholeException cause) {
        return new RetryableException(
                "it could not be asked whether messages were accepted whose ids have a time far ahead; hand them in again",
                cause);
    }

    /** Claims keys in digest form, sees which are not new or somebody else's by then, and rolls back. */
    private IdsFarAhead.Answer askByDigestKey(List<MessageKey> sorted) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            Claimer claimer = new Claimer(transaction, consumer, Map.of(), Set.of());
            claimer.inHalves(sorted);
            Set<MessageKey> busy = sorted.stream().filter(claimer::isBusy).collect(Collectors.toSet());
            Set<MessageKey> known = sorted.stream()
                    .filter(key -> !claimer.isClaimed(key) && !busy.contains(key))
                    .collect(Collectors.toSet());
            return new IdsFarAhead.Answer(known, busy, Map.of());
        }
    }

    /**
     * Claims a key of each form, as ids of both may come, and rolls back: each has a part of the ledger of its own, and the database may
     * refuse what concerns one of them.
     */
    void probeClaim() {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            List<MessageKey> keys = List.of(unusedKeyOfNow(), unusedDigestKey());
            transaction.claim(consumer, keys, settings.concurrentDuplicateTimeout());
        }
    }

    private static MessageKey unusedKeyOfNow() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        MessageKey first = MessageKey.firstOf(SystemTime.clock().millis());
        return new MessageKey(first.high() | (random.nextLong() & BITS_BEHIND_TIME), random.nextLong());
    }

    private static MessageKey unusedDigestKey() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new MessageKey(MessageKey.FIRST_DIGEST.high() | (random.nextLong() >>> 8), random.nextLong());
    }

    /** Whether the database takes any message, in whichever part of the ledger. Once it does, it is not asked again for a moment. */
    boolean isAnyTaken(Throwable refusalOfAnother) {
        long now = nanos.getAsLong();
        if (takenUntil.get() - now > 0) {
            return true;
        }
        if (!isTaken(unusedDigestKey(), refusalOfAnother) && !isTaken(unusedKeyOfNow(), refusalOfAnother)) {
            return false;
        }
        takenUntil.set(now + ANSWER_HOLDS);
        return true;
    }

    /** Whether the database takes a message with this key, which is rolled back. */
    private boolean isTaken(MessageKey key, Throwable refusalOfAnother) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            transaction.claim(consumer, List.of(key), settings.concurrentDuplicateTimeout());
            return true;
        } catch (StoreException e) {
            refusalOfAnother.addSuppressed(e);
            return false;
        }
    }

    private boolean isRefusal(StoreException failure) {
        ErrorClass errorClass = failure.errorClass();
        return (errorClass == ErrorClass.UNKNOWN ? errorClass : store.classify(failure)).isRefusal();
    }
}
