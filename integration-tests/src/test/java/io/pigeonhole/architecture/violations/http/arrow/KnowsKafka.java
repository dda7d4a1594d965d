package io.pigeonhole.architecture.violations.http.arrow;

import io.pigeonhole.architecture.violations.kafka.Plain;

public final class KnowsKafka {
    static final Class<?> OTHER = Plain.class;
}
