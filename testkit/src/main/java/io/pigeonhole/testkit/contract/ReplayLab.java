package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.replay.ReplayBuilder;
import io.pigeonhole.core.replay.ReplayControl;
import io.pigeonhole.core.store.ReplayProgress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of replays begin with: an inbox that has no effects but a history, and runs that have effects. */
abstract class ReplayLab<C extends HandlerContext> extends InboxLab<C> {
    static final Author ANN = new Author("ann", "the projection is wrong");

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    Inbox<C> inbox;

    @SuppressWarnings("NullAway.Init")
    ReplayControl control;

    ReplayLab(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void prepare() {
        inbox = builder((payload, context) -> {})
                .history(HistoryMode.WITH_PAYLOAD)
                .build();
        control = ReplayControl.of(store);
    }

    /** Finishes messages without effects. */
    List<String> finish(int count) {
        List<Message> messages = messages(count);
        inbox.process(messages);
        return payloads(messages);
    }

    void finish(Message... messages) {
        inbox.process(Arrays.asList(messages));
    }

    /** The runs of all tests are in one database. */
    String name(String run) {
        return run + " of " + consumer;
    }

    ReplayBuilder<C> replay(String run) {
        return replay(run, this::write);
    }

    ReplayBuilder<C> replay(String run, Handler<String, C> handler) {
        return Replay.builder(name(run), consumer, store, ANN).into(PayloadDecoder.text(), handler);
    }

    ReplayProgress progress(String run) {
        return control.find(name(run)).orElseThrow();
    }

    /** What a run of another name finds, in its order. */
    List<String> seenBy(ReplayBuilder<C> builder) {
        int before = fixture.effects().size();
        builder.build().run();
        List<String> all = fixture.effects();
        return new ArrayList<>(all.subList(before, all.size()));
    }

    static void assertBegins(List<String> whole, List<String> part) {
        assertThat(part).isEqualTo(whole.subList(0, Math.min(part.size(), whole.size())));
    }
}
