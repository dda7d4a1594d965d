package io.pigeonhole.core.memory;

import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;

/** One thing that a transaction will have done once it commits. */
sealed interface Change {
    record Claimed(Row row) implements Change {}

    record Parked(Row row, ParkedMessage message) implements Change {}

    record Buried(Row row, DeadLetter letter) implements Change {}

    record Finished(Row row, FinishedMessage message) implements Change {}

    record Effect(Runnable action) implements Change {}
}
