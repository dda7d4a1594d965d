package io.pigeonhole.architecture.violations.jackson;

public final class Plain {}
