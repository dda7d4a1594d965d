package io.pigeonhole.core.replay;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.store.ReplayPlan;
import java.time.Duration;

/** The settings of a run. Immutable. */
record ReplaySettings(
        ReplayPlan plan, Author by, int batch, int perSecond, OnFailure onFailure, Duration handlerTimeout) {
    /** No limit. */
    static final int UNLIMITED = 0;
}
