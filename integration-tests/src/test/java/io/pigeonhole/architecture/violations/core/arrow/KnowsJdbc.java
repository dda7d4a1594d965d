package io.pigeonhole.architecture.violations.core.arrow;

import io.pigeonhole.architecture.violations.jdbc.Plain;

public final class KnowsJdbc {
    static final Class<?> OTHER = Plain.class;
}
