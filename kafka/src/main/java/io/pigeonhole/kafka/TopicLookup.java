package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.jspecify.annotations.Nullable;

/** Asks the brokers for topics, without waiting. Opens a client of its own at the first question. Safe for use by many threads. */
final class TopicLookup implements AutoCloseable {
    /** An answer that takes longer is a failure. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Map<String, Object> settings;
    private @Nullable Admin admin;
    private boolean closed;

    TopicLookup(Map<String, Object> adminSettings) {
        this.settings = new HashMap<>(adminSettings);
        // Two clients of one name cannot both be seen in JMX, and Kafka warns of the second one.
        this.settings.computeIfPresent(CommonClientConfigs.CLIENT_ID_CONFIG, (key, id) -> id + "-topics");
    }

    /** For each topic what will be known of it: that it is there, or why it is not, or is not known. */
    synchronized Map<String, CompletableFuture<?>> describe(Collection<String> topics) {
        Map<String, CompletableFuture<?>> answers = new HashMap<>();
        try {
            if (closed) {
                throw new IllegalStateException("closed");
            }
            if (admin == null) {
                admin = Admin.create(settings);
            }
            DescribeTopicsOptions options = new DescribeTopicsOptions().timeoutMs((int) TIMEOUT.toMillis());
            admin.describeTopics(topics, options)
                    .topicNameValues()
                    .forEach((topic, answer) ->
                            answers.put(topic, answer.toCompletionStage().toCompletableFuture()));
        } catch (Throwable e) {
            topics.forEach(topic -> answers.put(topic, CompletableFuture.failedFuture(e)));
        }
        return answers;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (admin != null) {
            admin.close(Duration.ZERO);
            admin = null;
        }
    }
}
