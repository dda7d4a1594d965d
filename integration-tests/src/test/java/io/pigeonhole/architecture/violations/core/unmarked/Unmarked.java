package io.pigeonhole.architecture.violations.core.unmarked;

public final class Unmarked {}
