package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.ReceivedMessage;

/** A message of the outbox that goes to the work of the relay's consumer, or to its dead letters. */
sealed interface Move {
    /** Where it is in the outbox. */
    long position();

    MessageKey key();

    /** It was refused, and is tried again. */
    record Park(long position, ParkedMessage parked) implements Move {
        @Override
        public MessageKey key() {
            return parked.key();
        }
    }

    /** It waits behind others with its key, or for a part of the broker that takes nothing now. */
    record Wait(long position, ReceivedMessage received) implements Move {
        @Override
        public MessageKey key() {
            return received.key();
        }
    }

    /** It was refused for good. */
    record GiveUp(long position, DeadLetter letter) implements Move {
        @Override
        public MessageKey key() {
            return letter.key();
        }
    }

    /** The same with another end where a message with its id was moved before. */
    default GiveUp known() {
        Message message = message();
        return new GiveUp(
                position(),
                new DeadLetter(
                        key(),
                        message,
                        DeadReason.CONFLICT,
                        "a message with this id was refused before: somebody has copied it in the table of the outbox",
                        false,
                        null));
    }

    default Message message() {
        if (this instanceof Park park) {
            return park.parked().message();
        }
        return this instanceof Wait wait
                ? wait.received().message()
                : ((GiveUp) this).letter().message();
    }
}
