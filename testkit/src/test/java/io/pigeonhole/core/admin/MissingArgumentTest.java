package io.pigeonhole.core.admin;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.testkit.memory.InMemoryStore;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What is said to a caller without null checks of its own, who asks for the key of a message. */
@SuppressWarnings("NullAway") // It is what such a caller does.
class MissingArgumentTest {
    private static void names(String argument, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessage(argument);
    }

    @Test
    void argumentThatIsNullIsNamed() {
        Admin admin = Admin.of(InMemoryStore.create());
        MessageId id = MessageId.of("7");

        names("the consumer", () -> admin.keyOf(null, "queue", id));
        names("the source", () -> admin.keyOf("payments", null, id));
        names("the id", () -> admin.keyOf("payments", "queue", null));
        names("the id", () -> KeyScheme.digestKeyOf("queue", null));
        names("the source", () -> KeyScheme.digestKeyOf(null, id));
        names("the origin", () -> KeyScheme.keyOfOrigin("queue", null, new byte[0]));
        names("the payload", () -> KeyScheme.keyOfOrigin("queue", "here", null));
        names("the id", () -> MessageId.of((String) null));
    }
}
