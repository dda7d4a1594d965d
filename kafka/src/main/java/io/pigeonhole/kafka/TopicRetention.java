package io.pigeonhole.kafka;

import io.pigeonhole.core.node.RedeliveryWindow;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Asks Kafka for how long it keeps the records of topics: their {@code retention.ms}, and a segment more, because only whole
 * segments are deleted. Waits for a few seconds at most.
 */
final class TopicRetention {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private TopicRetention() {}

    static RedeliveryWindow ask(Map<String, Object> adminSettings, List<String> topics) {
        Map<String, Object> settings = new HashMap<>(adminSettings);
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
        try {
            Admin admin = Admin.create(settings);
            try {
                List<ConfigResource> resources = topics.stream()
                        .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                        .toList();
                return longest(admin.describeConfigs(resources).all().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
            } finally {
                admin.close(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return RedeliveryWindow.unknown("the question for the topics' settings was interrupted");
        } catch (ExecutionException e) {
            String grant = e.getCause() instanceof AuthorizationException
                    ? "; grant the principal of the consumer's settings the right DESCRIBE_CONFIGS on the topics"
                    : "";
            return RedeliveryWindow.unknown("Kafka does not return the topics' settings: " + e.getCause() + grant);
        } catch (TimeoutException | KafkaException e) {
            return RedeliveryWindow.unknown("Kafka does not return the topics' settings: " + e);
        }
    }

    private static RedeliveryWindow longest(Map<ConfigResource, Config> configs) {
        RedeliveryWindow longest = RedeliveryWindow.unknown("there is no topic");
        for (Map.Entry<ConfigResource, Config> topic : configs.entrySet()) {
            RedeliveryWindow one = of(topic.getKey().name(), topic.getValue());
            if (one.kind() == RedeliveryWindow.Kind.UNLIMITED) {
                return one;
            }
            if (longest.duration() == null
                    || (one.duration() != null && one.duration().compareTo(longest.duration()) > 0)) {
                longest = one;
            }
        }
        return longest;
    }

    /** What the settings of one topic mean. */
    static RedeliveryWindow of(String topic, Config config) {
        long retention = millis(config, TopicConfig.RETENTION_MS_CONFIG);
        ConfigEntry policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        boolean deletes =
                policy == null || policy.value() == null || policy.value().contains(TopicConfig.CLEANUP_POLICY_DELETE);
        if (!deletes) {
            return RedeliveryWindow.unlimited("topic '" + topic + "' (cleanup.policy=" + policy.value() + ")");
        }
        if (retention < 0) {
            return RedeliveryWindow.unlimited("topic '" + topic + "' (retention.ms=-1)");
        }
        long segment = Math.max(0, millis(config, TopicConfig.SEGMENT_MS_CONFIG));
        long both = retention > Long.MAX_VALUE - segment ? Long.MAX_VALUE : retention + segment;
        return RedeliveryWindow.of(
                Duration.ofMillis(both),
                "topic '" + topic + "' (retention.ms=" + retention + ", segment.ms=" + segment + ")");
    }

    private static long millis(Config config, String name) {
        ConfigEntry entry = config.get(name);
        return entry == null || entry.value() == null ? 0 : Long.parseLong(entry.value());
    }
}
