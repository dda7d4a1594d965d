package io.pigeonhole.architecture.violations.jdbc.internal;

public final class InInternal {}
