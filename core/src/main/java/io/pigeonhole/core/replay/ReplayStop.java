package io.pigeonhole.core.replay;

/** Whether somebody asked a run to end. Safe for use by many threads. */
final class ReplayStop {
    private volatile boolean asked;

    void ask() {
        asked = true;
    }

    boolean isAsked() {
        return asked;
    }
}
