package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up the ids of the cluster and of topics, for the ids of records that have none. Never waits for long: what is not known yet
 * is asked for, and known later. Used by the poll thread.
 */
final class TopicIdentities implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TopicIdentities.class);

    /** An answer that takes longer is missing. */
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    /** So often it is asked whether a topic is still the same. */
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    /** The poll thread has other things to do. */
    private static final Duration SHORT_WAIT = Duration.ofSeconds(1);

    private final Function<String, CompletableFuture<String>> lookUp;
    private final Runnable close;
    private final LongSupplier clock;
    private final Consumer<String> warn;
    private final LookupFailures failures = new LookupFailures();
    private final Map<String, Question> prefixes = new HashMap<>();
    private final Map<String, Question> later = new HashMap<>();
    private final Map<String, Long> unansweredSince = new HashMap<>();

    private record Question(CompletableFuture<String> answer, long asked) {}

    /**
     * Topics of which nothing is read, because their ids are not known.
     *
     * @param problems one sentence for each of those whose ids cannot be found out, or not soon
     * @param areAll whether those are all that this member has partitions of
     */
    record Unidentified(List<String> problems, boolean areAll) {
        static final Unidentified NONE = new Unidentified(List.of(), false);
    }

    /**
     * With all that it needs.
     *
     * @param lookUp asks for what the ids of a topic's records begin with
     * @param close ends whatever asks
     * @param clock nanoseconds
     * @param warn is called with what somebody has to see
     */
    TopicIdentities(
            Function<String, CompletableFuture<String>> lookUp,
            Runnable close,
            LongSupplier clock,
            Consumer<String> warn) {
        this.lookUp = lookUp;
        this.close = close;
        this.clock = clock;
        this.warn = warn;
    }

    /** Of a cluster. */
    static TopicIdentities of(Admin admin, LongSupplier clock) {
        return new TopicIdentities(topic -> lookUp(admin, topic), () -> admin.close(Duration.ZERO), clock, log::warn);
    }

    /** What the ids of a topic's records begin with, or null while it is not known. */
    @Nullable
    String prefixOf(String topic) {
        Question question = prefixes.get(topic);
        if (question == null) {
            long now = clock.getAsLong();
            if (!failures.isTime(topic, now)) {
                return null;
            }
            question = new Question(lookUp.apply(topic), now);
            prefixes.put(topic, question);
        }
        CompletableFuture<String> prefix = question.answer();
        if (!prefix.isDone()) {
            unansweredSince.putIfAbsent(topic, question.asked());
            return null;
        }
        unansweredSince.remove(topic);
        try {
            String known = prefix.join();
            if (failures.succeeded(topic)) {
                log.info("the id of topic '{}' is known now", topic);
            }
            return known;
        } catch (CompletionException | CancellationException e) {
            forget(topic);
            Throwable cause = e.getCause() == null ? e : e.getCause();
            log.debug("the id of topic '{}' cannot be found out", topic, cause);
            String warning = failures.failed(topic, cause, clock.getAsLong());
            if (warning != null) {
                warn.accept(warning);
            }
            return null;
        }
    }

    /** The topics of these partitions whose ids are missing. */
    Unidentified unidentified(Collection<TopicPartition> partitions) {
        Set<String> topics = partitions.stream().map(TopicPartition::topic).collect(Collectors.toSet());
        List<String> problems = topics.stream()
                .map(this::problemOf)
                .filter(Objects::nonNull)
                .sorted()
                .toList();
        return problems.isEmpty() ? Unidentified.NONE : new Unidentified(problems, problems.size() == topics.size());
    }

    private @Nullable String problemOf(String topic) {
        String failure = failures.problemOf(topic);
        Long asked = unansweredSince.get(topic);
        if (failure != null || asked == null) {
            return failure;
        }
        Duration since = Duration.ofNanos(clock.getAsLong() - asked);
        return since.compareTo(TIMEOUT) < 0
                ? null
                : "no broker has answered for " + since.toSeconds() + " s which id the topic '" + topic
                        + "' has. Until it is known nothing of the topic is read";
    }

    /**
     * Asks now and then whether the topics are still the same. What was known is known until there is an answer.
     */
    void askAgain() {
        long now = clock.getAsLong();
        prefixes.replaceAll((topic, known) -> {
            if (!known.answer().isDone()) {
                return known;
            }
            Question question = later.get(topic);
            if (question == null) {
                if (now - known.asked() >= INTERVAL.toNanos()) {
                    later.put(topic, new Question(lookUp.apply(topic), now));
                }
                return known;
            }
            if (!question.answer().isDone()) {
                return known;
            }
            later.remove(topic);
            return decides(question) ? question : new Question(known.answer(), now);
        });
    }

    /** A broker that does not answer says nothing about the topic. */
    private static boolean decides(Question question) {
        return !question.answer().isCompletedExceptionally()
                || causeOf(question.answer()) instanceof UnknownTopicOrPartitionException;
    }

    private static @Nullable Throwable causeOf(CompletableFuture<String> failed) {
        return failed.handle((prefix, failure) -> failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure)
                .join();
    }

    /** The topic may be another one of the same name. */
    void forget(String topic) {
        prefixes.remove(topic);
        later.remove(topic);
    }

    /**
     * Each topic may be another one of the same name. Those of some partitions are asked for at once, and waited for a moment, so that
     * somebody who is always late gets on as well.
     */
    void forgetAll(Set<TopicPartition> wanted) {
        prefixes.clear();
        later.clear();
        List<CompletableFuture<String>> answers = wanted.stream()
                .map(TopicPartition::topic)
                .distinct()
                .filter(topic -> prefixOf(topic) == null)
                .map(prefixes::get)
                .filter(Objects::nonNull)
                .map(Question::answer)
                .toList();
        try {
            CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                    .get(SHORT_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.debug("not all of the topics {} are known again", wanted, e);
        } catch (InterruptedException e) {
            // Nobody ends the poll thread by an interrupt.
            log.debug("interrupted while waiting for the ids of topics, going on", e);
        }
    }

    private static CompletableFuture<String> lookUp(Admin admin, String topic) {
        CompletableFuture<String> cluster =
                admin.describeCluster().clusterId().toCompletionStage().toCompletableFuture();
        CompletableFuture<Map<String, TopicDescription>> descriptions = admin.describeTopics(List.of(topic))
                .allTopicNames()
                .toCompletionStage()
                .toCompletableFuture();
        return cluster.thenCombine(descriptions, (id, byName) -> {
            TopicDescription description = Objects.requireNonNull(byName.get(topic), topic);
            if (description.topicId().equals(Uuid.ZERO_UUID)) {
                throw new IllegalStateException("the broker is too old to distinguish topics of one name");
            }
            return "kafka:" + id + "/" + description.topicId() + "/";
        });
    }

    @Override
    public void close() {
        close.run();
    }
}
