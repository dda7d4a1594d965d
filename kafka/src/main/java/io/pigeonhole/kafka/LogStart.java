package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/** Where a partition begins that has no position: neither a watermark nor an offset that was committed. */
enum LogStart {
    /** At its first record. */
    EARLIEST,
    /** Behind its last record. */
    LATEST,
    /** Nowhere: the partition is held back until somebody decides. */
    NONE;

    /**
     * What the user's settings say. It has to be said: one choice repeats what another program has done with the topic, the
     * other leaves out what nobody has.
     */
    static LogStart of(Map<String, Object> user, String consumer) {
        @Nullable Object given = user.get(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG);
        for (LogStart start : values()) {
            if (start.name()
                    .toLowerCase(Locale.ROOT)
                    .equals(String.valueOf(given).trim())) {
                return start;
            }
        }
        throw new ConfigurationException("Kafka source of inbox '" + consumer + "': "
                + ConsumerConfig.AUTO_OFFSET_RESET_CONFIG + " is " + given
                + "; an inbox that deduplicates by watermarks needs earliest, latest or none here, for partitions"
                + " that have no position at all yet");
    }
}
