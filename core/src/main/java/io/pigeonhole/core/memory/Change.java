package io.pigeonhole.core.memory;

import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;

/** One thing that a transaction will have done once it commits. */
sealed interface Change {
    /** Whether it puts this message into work or the dead letters. */
    default boolean keeps(Row row) {
        return false;
    }

    record Claimed(Row row) implements Change {}

    record Parked(Row row, ParkedMessage message) implements Change {
        @Override
        public boolean keeps(Row asked) {
            return asked.equals(row);
        }
    }

    record Buried(Row row, DeadLetter letter) implements Change {
        @Override
        public boolean keeps(Row asked) {
            return asked.equals(row);
        }
    }

    record Finished(Row row, FinishedMessage message) implements Change {}

    record Effect(Runnable action) implements Change {}
}
