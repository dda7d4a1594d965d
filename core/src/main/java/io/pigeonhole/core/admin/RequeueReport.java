package io.pigeonhole.core.admin;

import org.jspecify.annotations.Nullable;

/**
 * What a bulk requeue did.
 *
 * @param requeued how many letters went back to work
 * @param duplicates how many were removed because their messages were accepted since
 * @param refused how many stayed dead because they are late, from the future, or not taken as work
 * @param conflicts how many stayed dead because another payload was accepted with their id, or is kept: they would take effect beside it. A
 *     selection by {@link io.pigeonhole.core.failure.DeadReason#CONFLICT} requeues them
 * @param stopReason why it ended before its end: something was busy. The rest is still dead; the same call goes on. Null where
 *     it came to its end
 */
public record RequeueReport(
        long requeued,
        long duplicates,
        long refused,
        long conflicts,
        @Nullable String stopReason) {
    static final RequeueReport NOTHING = new RequeueReport(0, 0, 0, 0, null);

    RequeueReport with(RequeuedPart part) {
        return new RequeueReport(
                requeued + part.requeued(),
                duplicates + part.duplicates(),
                refused + part.refused(),
                conflicts + part.conflicts(),
                null);
    }

    RequeueReport stopped(String why) {
        return new RequeueReport(requeued, duplicates, refused, conflicts, why);
    }
}
