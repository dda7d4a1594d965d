package io.pigeonhole.crash;

import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

/** A batch that takes one of the engine's ways. The type of a message says what becomes of it. */
enum Story {
    /** Nobody fails; one message is of no known type. */
    TOGETHER("good good good unheard-of good"),
    /** One fails: all is replayed, and the culprit parked; one message is from the future. */
    REPLAY("good failing good future good"),
    /** Two fail, and one for ever: each message runs under a savepoint. */
    ISOLATED("good failing good hopeless failing good");

    /** Of no day that a ledger has, and not so far ahead that it would be no time. The same for months, in all processes of a run. */
    private static final long FUTURE = Stream.iterate(LocalDate.ofEpochDay(0), day -> day.plusMonths(6))
            .dropWhile(day -> day.isBefore(LocalDate.now(ZoneOffset.UTC).plusDays(100)))
            .findFirst()
            .orElseThrow()
            .atStartOfDay()
            .toInstant(ZoneOffset.UTC)
            .toEpochMilli();

    private final String types;

    Story(String types) {
        this.types = types;
    }

    /** The same messages for the same run, in whatever process. */
    List<Message> messages(String run) {
        List<Message> messages = new ArrayList<>();
        for (String type : types.split(" ", -1)) {
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

    /** An inbox in which every handler writes, and those of the failing types throw after it. */
    static <C extends HandlerContext> Inbox<C> inbox(InboxStore<C> store, String run, Handler<String, C> write) {
        return builder(store, run, write).build();
    }

    /** The same before it is built. */
    static <C extends HandlerContext> InboxBuilder<C> builder(
            InboxStore<C> store, String run, Handler<String, C> write) {
        return Inbox.builder(run, store)
                .handle("good", PayloadDecoder.text(), write)
                .handle("future", PayloadDecoder.text(), write)
                .handle("failing", PayloadDecoder.text(), (payload, context) -> {
                    write.handle(payload, context);
                    throw new IllegalStateException("after the write");
                })
                .handle("hopeless", PayloadDecoder.text(), (payload, context) -> {
                    write.handle(payload, context);
                    throw new PermanentFailure("after the write");
                })
                .history(HistoryMode.WITH_PAYLOAD);
    }

    /** Delivers messages once; gives back the ids of those that may be acknowledged. */
    static List<String> deliver(Inbox<?> inbox, List<Message> messages) {
        List<Outcome> outcomes = inbox.process(messages);
        List<String> settled = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            if (outcomes.get(i).settled()) {
                settled.add(id(messages.get(i)));
            }
        }
        return settled;
    }
}
