package io.pigeonhole.architecture.violations.kafka;

public final class Plain {}
