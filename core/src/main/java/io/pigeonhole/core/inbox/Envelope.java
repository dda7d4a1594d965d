package io.pigeonhole.core.inbox;

/** placeholder */
final class Envelope {
    static final int LONGEST_ID = 4096;

    private Envelope() {}
}
