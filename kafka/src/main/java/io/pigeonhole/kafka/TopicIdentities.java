package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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

    private final Admin admin;
    private final Map<String, CompletableFuture<String>> prefixes = new HashMap<>();

    TopicIdentities(Admin admin) {
        this.admin = admin;
    }

    /** What the ids of a topic's records begin with, or null while it is not known. */
    @Nullable
    String prefixOf(String topic) {
        CompletableFuture<String> prefix = prefixes.computeIfAbsent(topic, this::lookUp);
        if (!prefix.isDone()) {
            return null;
        }
        try {
            return prefix.join();
        } catch (CompletionException e) {
            log.warn("the id of topic '{}' cannot be told yet, its records wait", topic, e);
            forget(topic);
            return null;
        }
    }

    /** The topic may be another one of the same name. */
    void forget(String topic) {
        prefixes.remove(topic);
    }

    private CompletableFuture<String> lookUp(String topic) {
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
        admin.close(Duration.ZERO);
    }
}
