package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which of the topics that a source subscribes to do not exist: a consumer polls a topic that is not there as quietly as an empty
 * one. The brokers are asked at the start, then every half minute, and every five seconds while one is missing; nobody waits for the
 * answer. A topic is missing when two answers in a row say so, since a broker may not know yet of a topic that was just created.
 * What is not answered, such as for want of the right to describe the topic, is no problem.
 *
 * <p>Lives as long as its source. Used by the poll thread; others may ask for the problems.
 */
final class MissingTopics implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MissingTopics.class);

    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration INTERVAL_WHILE_MISSING = Duration.ofSeconds(5);
    /** Between two warnings of a topic that comes and goes. */
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);
    /** Between two warnings of one that stays away. */
    private static final Duration WARN_AGAIN = Duration.ofMinutes(10);

    private static final CompletableFuture<?> NOT_ASKED =
            CompletableFuture.failedFuture(new IllegalStateException("not asked for"));

    private final Collection<String> topics;
    private final Function<Collection<String>, Map<String, CompletableFuture<?>>> lookUp;
    private final Runnable close;
    private final LongSupplier clock;
    private final Consumer<String> warn;
    private final Map<String, Long> warnedAt = new HashMap<>();
    private @Nullable Map<String, CompletableFuture<?>> answers;
    private long nextLook;
    private Set<String> missedLast = Set.of();
    private volatile Set<String> missing = Set.of();

    /**
     * With all that it needs.
     *
     * @param topics those to ask for
     * @param lookUp asks for each; fails with an {@link UnknownTopicOrPartitionException} where it does not exist
     * @param close ends whatever asks
     * @param clock nanoseconds
     * @param warn is called with what somebody has to see
     */
    MissingTopics(
            Collection<String> topics,
            Function<Collection<String>, Map<String, CompletableFuture<?>>> lookUp,
            Runnable close,
            LongSupplier clock,
            Consumer<String> warn) {
        this.topics = new TreeSet<>(topics);
        this.lookUp = lookUp;
        this.close = close;
        this.clock = clock;
        this.warn = warn;
        this.nextLook = clock.getAsLong();
    }

    /** Those of a source. No connection is opened before the first look. */
    static MissingTopics of(
            String name, Collection<String> topics, Map<String, Object> adminSettings, LongSupplier clock) {
        TopicLookup lookup = new TopicLookup(adminSettings);
        return new MissingTopics(
                topics, lookup::describe, lookup::close, clock, warning -> log.warn("{}: {}", name, warning));
    }

    /** Asks if it is time to, and takes the answers that are there. */
    void look() {
        long now = clock.getAsLong();
        if (answers == null) {
            if (now - nextLook >= 0) {
                answers = lookUp.apply(topics);
            }
        } else if (answers.values().stream().allMatch(CompletableFuture::isDone)) {
            take(answers, now);
            answers = null;
        }
    }

    private void take(Map<String, CompletableFuture<?>> answers, long now) {
        Set<String> missed = new TreeSet<>();
        answers.forEach((topic, answer) -> {
            if (isMissing(topic, answer)) {
                missed.add(topic);
            }
        });
        Set<String> missedTwice = new TreeSet<>(missed);
        missedTwice.retainAll(missedLast);
        Set<String> before = missing;
        missing = missedTwice;
        missedLast = missed;
        nextLook = now + (missed.isEmpty() ? INTERVAL : INTERVAL_WHILE_MISSING).toNanos();
        missedTwice.forEach(topic -> warn(topic, before.contains(topic), now));
        before.stream()
                .filter(topic -> !answers.getOrDefault(topic, NOT_ASKED).isCompletedExceptionally())
                .forEach(topic -> log.info("topic '{}' is there now", topic));
    }

    private static boolean isMissing(String topic, CompletableFuture<?> answer) {
        try {
            answer.join();
            return false;
        } catch (CompletionException | CancellationException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            boolean missing = cause instanceof UnknownTopicOrPartitionException;
            if (!missing) {
                log.debug("whether topic '{}' exists is not known", topic, cause);
            }
            return missing;
        }
    }

    private void warn(String topic, boolean wasMissing, long now) {
        Long last = warnedAt.get(topic);
        Duration pause = wasMissing ? WARN_AGAIN : BETWEEN_WARNINGS;
        if (last == null || now - last >= pause.toNanos()) {
            warnedAt.put(topic, now);
            warn.accept(sentence(topic) + ". Until it is there nothing of it is read");
        }
    }

    private static String sentence(String topic) {
        return "topic '" + topic + "' is not there: create it or correct the name";
    }

    /** One sentence for each topic that is missing. */
    List<String> problems() {
        return missing.stream().map(MissingTopics::sentence).toList();
    }

    /** Whether all are missing. */
    boolean areAll() {
        return missing.size() == topics.size();
    }

    @Override
    public void close() {
        close.run();
    }
}
