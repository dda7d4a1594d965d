package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.PayloadHash;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What the ledger has of a message besides its key. */
record Accepted(@Nullable PayloadHash hash, Instant at) {}
