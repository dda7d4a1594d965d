package io.pigeonhole.architecture.violations.core.ring.right;

import io.pigeonhole.architecture.violations.core.ring.left.Left;

public final class Right {
    static final Class<?> OTHER = Left.class;
}
