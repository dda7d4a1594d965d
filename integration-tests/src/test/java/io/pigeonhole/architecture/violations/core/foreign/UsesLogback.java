package io.pigeonhole.architecture.violations.core.foreign;

import ch.qos.logback.classic.Level;

public final class UsesLogback {
    static final Level LEVEL = Level.INFO;
}
