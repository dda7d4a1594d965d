package io.pigeonhole.architecture.violations.jdbc;

public final class Plain {}
