package io.pigeonhole.core.replay;

import io.pigeonhole.core.store.ReplayProgress;

/**
 * What became of a batch.
 *
 * @param progress the run after it
 * @param handled how many messages it has brought through, which is less than the run has advanced where others help
 */
record ReplayStep(ReplayProgress progress, long handled) {
    /** Between two moments in which nobody else could advance the run. */
    static ReplayStep between(ReplayProgress before, ReplayProgress after) {
        return new ReplayStep(after, all(after) - all(before));
    }

    /** Whether the run has come as far: what is not answered was committed, unless another has done the same meanwhile. */
    boolean isIn(ReplayProgress run) {
        return all(run) >= all(progress);
    }

    private static long all(ReplayProgress progress) {
        return progress.done() + progress.skipped();
    }
}
