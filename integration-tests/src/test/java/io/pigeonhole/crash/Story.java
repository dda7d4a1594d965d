package io.pigeonhole.crash;

import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A batch that takes one of the engine's ways. The type of a message says what becomes of it. */
enum Story {
    /** Nobody fails; one message is of no known type. */
    TOGETHER("good", "good", "good", "unheard of", "good"),
    /** One fails: all is replayed, and the culprit parked; one message is from the future. */
    REPLAY("good", "failing", "good", "future", "good"),
    /** Two fail, and one for ever: each message runs under a savepoint. */
    ISOLATED("good", "failing", "good", "hopeless", "failing", "good");

    /** In the year 2096. */
    private static final long FUTURE = 4_000_000_000_000L;

    private final List<String> types;

    Story(String... types) {
        this.types = List.of(types);
    }

    /** The same messages for the same run, in whatever process. */
    List<Message> messages(String run) {
        List<Message> messages = new ArrayList<>();
        for (String type : types) {
            String id = type.equals("future") ? futureId(run) : run + " " + messages.size();
            messages.add(Message.builder("stories")
                    .id(id)
                    .type(type)
                    .payload("the bytes of " + id)
                    .build());
        }
        return messages;
    }

    private static String futureId(String run) {
        return new UUID(FUTURE << 16 | 7L << 12, Long.MIN_VALUE | (run.hashCode() & 0xFFFF_FFFFL)).toString();
    }

    List<String> ids(String run) {
        return messages(run).stream().map(Story::id).toList();
    }

    /** The ids of the messages of one type. */
    List<String> ids(String run, String type) {
        return messages(run).stream()
                .filter(message -> Objects.equals(message.type(), type))
                .map(Story::id)
                .toList();
    }

    static String id(Message message) {
        return Objects.requireNonNull(message.id()).toString();
    }

    static <C extends HandlerContext> Inbox<C> inbox(
            InboxStore<C> store, String run, BiConsumer<C, String> write, CrashPlan plan) {
        Handler<String, C> good = plan.handler((payload, context) -> write.accept(context, id(context.message())));
        return Inbox.builder(run, new CrashingStore<>(store, plan))
                .handle("good", PayloadDecoder.text(), good)
                .handle("future", PayloadDecoder.text(), good)
                .handle("failing", PayloadDecoder.text(), (payload, context) -> {
                    good.handle(payload, context);
                    throw new IllegalStateException("after the write");
                })
                .handle("hopeless", PayloadDecoder.text(), (payload, context) -> {
                    good.handle(payload, context);
                    throw new PermanentFailure("after the write");
                })
                .history(HistoryMode.WITH_PAYLOAD)
                .build();
    }

    /** One delivery of messages, acknowledged as a source would do it. */
    static void deliver(Inbox<?> inbox, List<Message> messages, CrashPlan plan, Consumer<List<String>> acknowledge) {
        List<Outcome> outcomes = inbox.process(messages);
        List<String> settled = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            if (outcomes.get(i).settled()) {
                settled.add(id(messages.get(i)));
            }
        }
        plan.acknowledge(() -> acknowledge.accept(settled));
    }
}
