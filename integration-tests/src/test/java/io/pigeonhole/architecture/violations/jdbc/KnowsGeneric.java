package io.pigeonhole.architecture.violations.jdbc;

import io.pigeonhole.architecture.violations.jdbc.generic.Plain;

public final class KnowsGeneric {
    static final Class<?> OTHER = Plain.class;
}
