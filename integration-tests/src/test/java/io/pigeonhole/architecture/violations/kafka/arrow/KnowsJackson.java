package io.pigeonhole.architecture.violations.kafka.arrow;

import io.pigeonhole.architecture.violations.jackson.Plain;

public final class KnowsJackson {
    static final Class<?> OTHER = Plain.class;
}
