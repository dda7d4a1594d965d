package io.pigeonhole.architecture.violations.jdbc.generic;

public final class Plain {}
