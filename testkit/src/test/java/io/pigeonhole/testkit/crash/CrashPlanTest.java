package io.pigeonhole.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CrashPlanTest {
    private final List<String> happened = new ArrayList<>();
    private final InMemoryStore store = InMemoryStore.create();

    private Inbox<InMemoryContext> inbox(CrashPlan plan) {
        return Inbox.builder("consumer", new CrashingStore<>(store, plan))
                .handle(
                        "note",
                        PayloadDecoder.text(),
                        plan.handler((payload, context) -> context.defer(() -> happened.add(payload))))
                .build();
    }

    private static Message message(String id) {
        return Message.builder("notes").id(id).type("note").payload(id).build();
    }

    @Test
    void actionRunsAtItsPassageOnly() {
        CrashPlan plan = CrashPlan.none().at(CrashPoint.BEFORE_CLAIM, 2, () -> happened.add("second claim"));
        Inbox<InMemoryContext> inbox = inbox(plan);

        inbox.process(message("a"));
        inbox.process(message("b"));
        inbox.process(message("c"));

        assertThat(happened).containsExactly("a", "second claim", "b", "c");
    }

    @Test
    void passagesAreCountedWithoutActionsToo() {
        CrashPlan plan = CrashPlan.none();

        inbox(plan).process(List.of(message("a"), message("b")));
        plan.acknowledge(() -> happened.add("acknowledged"));

        assertThat(plan.passages(CrashPoint.AFTER_COMMIT)).isEqualTo(1);
        assertThat(plan.passages(CrashPoint.AFTER_HANDLER)).isEqualTo(2);
        assertThat(plan.passages(CrashPoint.BEFORE_ROLLBACK)).isZero();
        assertThat(plan.passages(CrashPoint.BEFORE_ACKNOWLEDGE)).isEqualTo(1);
        assertThat(plan.passages(CrashPoint.AFTER_ACKNOWLEDGE)).isEqualTo(1);
        assertThat(happened).containsExactly("a", "b", "acknowledged");
    }

    @Test
    void whatAnActionThrowsComesOutOfThePort() {
        CrashPlan plan = CrashPlan.none().always(CrashPoint.AFTER_BEGIN, () -> {
            throw new UnsupportedOperationException("planned");
        });
        Inbox<InMemoryContext> inbox = inbox(plan);

        assertThatThrownBy(() -> inbox.process(message("a"))).hasMessage("planned");
        assertThat(plan.passages(CrashPoint.AFTER_ROLLBACK)).isEqualTo(1);

        plan.calm();
        inbox.process(message("a"));
        assertThat(happened).containsExactly("a");
    }

    @Test
    void planThatNobodyCameToFailsTheTestWithWhatWasPassed() {
        CrashPlan plan = CrashPlan.none()
                .at(CrashPoint.BEFORE_CLAIM, 1, () -> {})
                .at(CrashPoint.BEFORE_CLAIM, 2, () -> {})
                .always(CrashPoint.BEFORE_LEASE, () -> {});
        Inbox<InMemoryContext> inbox = inbox(plan);

        inbox.process(message("a"));
        plan.calm();
        assertThatThrownBy(plan::assertReached)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not reached: BEFORE_CLAIM (passage 2), BEFORE_LEASE;")
                .hasMessageContaining("AFTER_COMMIT=1");
    }

    @Test
    void planOfWhichEverythingHappenedPasses() {
        CrashPlan plan =
                CrashPlan.none().at(CrashPoint.BEFORE_CLAIM, 2, () -> {}).always(CrashPoint.AFTER_COMMIT, () -> {});
        inbox(plan).process(message("a"));
        inbox(plan).process(message("b"));
        plan.assertReached();
    }
}
