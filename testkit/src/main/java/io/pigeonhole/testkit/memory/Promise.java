package io.pigeonhole.testkit.memory;

/** What the engine promises to every store, and this one checks. */
final class Promise {
    private Promise() {}

    static void check(boolean kept, String promise) {
        if (!kept) {
            throw new IllegalStateException(promise);
        }
    }
}
