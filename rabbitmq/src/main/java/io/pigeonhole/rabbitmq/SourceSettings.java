package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.util.List;

/** The settings of the builder. */
record SourceSettings(
        String name,
        ConnectionFactory connectionFactory,
        ConnectionOpener opener,
        List<String> queues,
        DeliveryMapper mapper,
        int prefetch,
        Duration retryPause,
        Duration closeTimeout,
        Duration answerTimeout,
        Duration renewAfter,
        Duration standstill) {}
