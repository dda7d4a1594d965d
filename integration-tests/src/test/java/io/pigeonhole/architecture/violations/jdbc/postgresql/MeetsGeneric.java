package io.pigeonhole.architecture.violations.jdbc.postgresql;

import io.pigeonhole.architecture.violations.jdbc.generic.Plain;

public final class MeetsGeneric {
    static final Class<?> OTHER = Plain.class;
}
