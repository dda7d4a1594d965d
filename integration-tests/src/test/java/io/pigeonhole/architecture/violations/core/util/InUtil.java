package io.pigeonhole.architecture.violations.core.util;

public final class InUtil {}
