package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.DeadReason;

/** Why a message becomes a dead letter before any handler sees it. */
record Unusable(DeadReason reason, String detail) {}
