package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.util.List;

/** Takes deliveries of one partition and returns when their effects are committed. Used by all partitions at once. */
@FunctionalInterface
public interface MessageSink {
    /** Works them off in one transaction, or in one for each. */
    void accept(List<Message> batch) throws Exception;
}
