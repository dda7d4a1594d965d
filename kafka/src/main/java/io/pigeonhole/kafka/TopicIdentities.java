package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up the ids of the cluster and of topics, for the ids of records that have none. Never waits: what is not known yet
 * is asked for, and known later. Used by the poll thread.
 */
final class TopicIdentities implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TopicIdentities.class);

    private final Function<String, CompletableFuture<String>> lookUp;
    private final Runnable close;
    private final LongSupplier clock;
    private final Consumer<String> warn;
    private final LookupFailures failures = new LookupFailures();
    private final Map<String, CompletableFuture<String>> prefixes = new HashMap<>();

    /**
     * With all that it needs.
     *
     * @param lookUp asks for what the ids of a topic's records begin with
     * @param close ends whatever asks
     * @param clock nanoseconds
     * @param warn is told what somebody has to see
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
    static TopicIdentities of(Admin admin) {
        return new TopicIdentities(
                topic -> lookUp(admin, topic), () -> admin.close(Duration.ZERO), System::nanoTime, log::warn);
    }

    /** What the ids of a topic's records begin with, or null while it is not known. */
    @Nullable
    String prefixOf(String topic) {
        CompletableFuture<String> prefix = prefixes.get(topic);
        if (prefix == null) {
            if (!failures.isTime(topic, clock.getAsLong())) {
                return null;
            }
            prefix = lookUp.apply(topic);
            prefixes.put(topic, prefix);
        }
        if (!prefix.isDone()) {
            return null;
        }
        try {
            String known = prefix.join();
            if (failures.succeeded(topic)) {
                log.info("the id of topic '{}' is known now", topic);
            }
            return known;
        } catch (CompletionException | CancellationException e) {
            forget(topic);
            Throwable cause = e.getCause() == null ? e : e.getCause();
            log.debug("the id of topic '{}' cannot be told", topic, cause);
            String warning = failures.failed(topic, cause, clock.getAsLong());
            if (warning != null) {
                warn.accept(warning);
            }
            return null;
        }
    }

    /** The topic may be another one of the same name. */
    void forget(String topic) {
        prefixes.remove(topic);
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
                throw new IllegalStateException("the broker is too old to tell topics of one name apart");
            }
            return "kafka:" + id + "/" + description.topicId() + "/";
        });
    }

    @Override
    public void close() {
        close.run();
    }
}
