package io.pigeonhole.architecture.violations.core.ring.left;

import io.pigeonhole.architecture.violations.core.ring.right.Right;

public final class Left {
    static final Class<?> OTHER = Right.class;
}
