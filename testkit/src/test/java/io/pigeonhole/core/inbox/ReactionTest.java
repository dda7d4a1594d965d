package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.Reaction;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.List;
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

    @Test
    void predicateOfAPolicySeesWhatADeferredWriteFailedWith() {
        RetryPolicy policy = RetryPolicy.standard()
                .when(failure -> "no such account".equals(failure.getMessage()), Reaction.GIVE_UP);

        assertThat(outcome(policy, "direct")).isEqualTo(Kind.DEAD);
        assertThat(outcome(policy, "deferred")).isEqualTo(Kind.DEAD);
    }

    @Test
    void predicateIsAskedBeforeTheClassesAlsoWhereAPolicyNamesTheStoresException() {
        RetryPolicy policy = RetryPolicy.standard()
                .on(StoreException.class, Reaction.GIVE_UP)
                .when(failure -> failure instanceof UnsupportedOperationException, Reaction.IGNORE);
        RetryPolicy ofStore = RetryPolicy.standard()
                .on(UnsupportedOperationException.class, Reaction.GIVE_UP)
                .when(failure -> failure instanceof StoreException, Reaction.IGNORE);

        assertThat(outcome(policy, "direct")).isEqualTo(Kind.IGNORED);
        assertThat(outcome(policy, "deferred")).isEqualTo(Kind.IGNORED);
        assertThat(outcome(ofStore, "deferred")).isEqualTo(Kind.IGNORED);
    }

    @Test
    void policyThatFailsByItselfMakesNoPoisonOfItsMessage() {
        RetryPolicy predicate = RetryPolicy.standard().when(failure -> "x".equals(brokenText()), Reaction.GIVE_UP);
        RetryPolicy delay =
                RetryPolicy.standard().delayFrom(UnsupportedOperationException.class, failure -> Duration.ofDays(-1));

        assertThat(outcome(predicate, "direct")).isEqualTo(Kind.PARKED);
        assertThat(outcome(delay, "direct")).isEqualTo(Kind.PARKED);
    }

    @Test
    void policyThatFailsByItselfKeepsItsMaxAge() {
        RetryPolicy policy = RetryPolicy.standard()
                .maxAge(Duration.ZERO)
                .delayFrom(UnsupportedOperationException.class, failure -> Duration.ofDays(-1));

        assertThat(outcome(policy, "direct")).isEqualTo(Kind.DEAD);
    }

    private static String brokenText() {
        throw new IllegalStateException("broken");
    }

    @Test
    void messageWaitsAsLongAsItsExceptionAsksFor() {
        RetryPolicy policy = RetryPolicy.standard()
                .delayFrom(UnsupportedOperationException.class, failure -> Duration.ofSeconds(17));
        Inbox<?> inbox = Inbox.builder("payments", InMemoryStore.create())
                .retry(policy)
                .handle("direct", PayloadDecoder.text(), (payload, context) -> write())
                .build();

        assertThat(inbox.process(Message.builder("notes")
                        .id("17")
                        .type("direct")
                        .payload("x")
                        .build()))
                .isInstanceOfSatisfying(
                        Outcome.Parked.class,
                        parked -> assertThat(parked.dueIn()).isEqualTo(Duration.ofSeconds(17)));
    }

    @Test
    void ruleHoldsForWhatIsWrappedInTheHandlerAndInADeferredWrite() {
        RetryPolicy policy = RetryPolicy.standard().on(UnsupportedOperationException.class, Reaction.GIVE_UP);
        InboxBuilder<?> builder = Inbox.builder("payments", InMemoryStore.create())
                .retry(policy)
                .handle("direct", PayloadDecoder.text(), (payload, context) -> wrapped())
                .handle("deferred", PayloadDecoder.text(), (payload, context) -> context.defer(ReactionTest::wrapped));
        Inbox<?> inbox = builder.build();

        for (String type : List.of("direct", "deferred")) {
            assertThat(inbox.process(Message.builder("notes")
                                    .id(type)
                                    .type(type)
                                    .payload("x")
                                    .build())
                            .kind())
                    .isEqualTo(Kind.DEAD);
        }
    }

    private static void wrapped() {
        try {
            write();
        } catch (UnsupportedOperationException e) {
            throw new IllegalStateException("a framework's", e);
        }
    }

    @Test
    void policyForUnknownTypesIsRefusedBesideAHandlerForEveryOtherType() {
        InboxBuilder<?> builder = Inbox.builder("payments", InMemoryStore.create())
                .unknownType(UnknownType.IGNORE)
                .handleOther(PayloadDecoder.text(), (payload, context) -> write());

        assertThatThrownBy(builder::build)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("unknownType IGNORE");
    }
}
