package io.pigeonhole.architecture.violations.core.words;

public final class TwinDesk {
    public static final int STAYS_DEAD = 1;

    private TwinDesk() {}

    public static void buryAll() {}

    public static void handleAll() {}

    static void bet() {}
}
