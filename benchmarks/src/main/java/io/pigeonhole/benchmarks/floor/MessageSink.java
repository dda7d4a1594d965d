package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.util.List;

/** Takes deliveries of one lane and returns when their effects are committed. Used by all lanes at once. */
@FunctionalInterface
interface MessageSink {
    void accept(List<Message> batch) throws Exception;
}
