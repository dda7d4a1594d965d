package io.pigeonhole.core.relay;

import java.util.concurrent.atomic.LongAdder;

/** What a relay has committed since it was built. Safe for use by many threads. */
final class RelayCounts {
    private final LongAdder published = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder dead = new LongAdder();

    void add(int nowPublished, int nowRefused, int nowDead) {
        published.add(nowPublished);
        refused.add(nowRefused);
        dead.add(nowDead);
    }

    long published() {
        return published.sum();
    }

    long refused() {
        return refused.sum();
    }

    long dead() {
        return dead.sum();
    }
}
