package io.pigeonhole.architecture.violations.rabbitmq.arrow;

import io.pigeonhole.architecture.violations.kafka.Plain;

public final class KnowsKafka {
    static final Class<?> OTHER = Plain.class;
}
