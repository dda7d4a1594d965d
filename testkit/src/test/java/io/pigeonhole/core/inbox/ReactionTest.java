package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.Reaction;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.StoreException;
import io.pigeonhole.testkit.memory.InMemoryStore;
import org.junit.jupiter.api.Test;

/** What a policy's reactions see of a write, at once or deferred. */
class ReactionTest {
    private static Kind outcome(RetryPolicy policy, String type) {
        return Inbox.builder("payments", InMemoryStore.create())
                .retry(policy)
                .handle("direct", PayloadDecoder.text(), (payload, context) -> write())
                .handle("deferred", PayloadDecoder.text(), (payload, context) -> context.defer(ReactionTest::write))
                .build()
                .process(Message.builder("notes")
                        .id(type)
                        .type(type)
                        .payload("x")
                        .build())
                .kind();
    }

    private static void write() {
        throw new UnsupportedOperationException("no such account");
    }

    @Test
    void whatADeferredWriteFailedWithHasTheReactionThatItsWriteAtOnceHas() {
        RetryPolicy policy = RetryPolicy.standard().on(UnsupportedOperationException.class, Reaction.GIVE_UP);

        assertThat(outcome(policy, "direct")).isEqualTo(Kind.DEAD);
        assertThat(outcome(policy, "deferred")).isEqualTo(Kind.DEAD);
    }

    @Test
    void reactionToWhatItFailedWithIsMoreSpecialThanOneToAllExceptions() {
        RetryPolicy policy = RetryPolicy.standard()
                .on(Exception.class, Reaction.IGNORE)
                .on(UnsupportedOperationException.class, Reaction.GIVE_UP);

        assertThat(outcome(policy, "deferred")).isEqualTo(Kind.DEAD);
    }

    @Test
    void policyThatNamesTheStoresExceptionMeansAllDeferredWrites() {
        RetryPolicy policy = RetryPolicy.standard()
                .on(StoreException.class, Reaction.IGNORE)
                .on(UnsupportedOperationException.class, Reaction.GIVE_UP);

        assertThat(outcome(policy, "deferred")).isEqualTo(Kind.IGNORED);
        assertThat(outcome(policy, "direct")).isEqualTo(Kind.DEAD);
    }
}
