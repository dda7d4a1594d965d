package io.pigeonhole.architecture.violations.sqs.arrow;

import io.pigeonhole.architecture.violations.kafka.Plain;

public final class KnowsKafka {
    static final Class<?> OTHER = Plain.class;
}
