package io.pigeonhole.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.BatchHandler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.inbox.UnknownType;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

/** When nothing goes wrong. */
abstract class ProcessingTests<C extends HandlerContext> extends InboxLab<C> {
    ProcessingTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void newMessageIsProcessedAndItsEffectCommitted() {
        Outcome outcome = writing().process(message("hello"));

        assertThat(outcome).isEqualTo(new Outcome.Processed());
        assertThat(outcome.settled()).isTrue();
        assertThat(fixture.effects()).containsExactly("hello");
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(fixture.deadLetters(consumer)).isEmpty();
        assertThat(fixture.history(consumer)).isEmpty();
    }

    @Test
    void batchIsProcessedInOneTransaction() {
        List<Message> messages = messages(500);

        List<Outcome> outcomes = writing().process(messages);

        assertThat(kinds(outcomes)).hasSize(500).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
        assertThat(transactions()).isEqualTo(1);
    }

    @Test
    void deferredEffectsAreCommitted() {
        List<Message> messages = messages(100);

        inbox((payload, context) -> fixture.defer(context, payload)).process(messages);

        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
    }

    @Test
    void nothingHandedInNeedsNoTransaction() {
        assertThat(writing().process(List.of())).isEmpty();
        assertThat(transactions()).isZero();
    }

    @Test
    void handlersRunInTheOrderOfArrival() {
        List<String> order = new ArrayList<>();
        List<Message> messages = messages(50);

        inbox((payload, context) -> order.add(payload)).process(messages);

        assertThat(order).isEqualTo(payloads(messages));
    }

    @Test
    void handlersOfDifferentTypesRunInTheOrderOfArrivalToo() {
        List<String> order = new ArrayList<>();
        Inbox<C> inbox = builder()
                .handle("a", PayloadDecoder.text(), (payload, context) -> order.add(payload))
                .handleBatch("b", PayloadDecoder.text(), list -> list.forEach(each -> order.add(each.payload())))
                .build();
        List<Message> messages = new ArrayList<>();
        for (String type : List.of("a", "b", "b", "a", "b", "a", "a", "b")) {
            messages.add(Message.builder("notes")
                    .id(Ids.opaque())
                    .type(type)
                    .payload("" + messages.size())
                    .build());
        }
        inbox.process(messages);

        assertThat(order).isEqualTo(payloads(messages));
    }

    @Test
    void handlerGetsTheMessageAsItWasDelivered() {
        Message message = Message.builder("notes")
                .id(Ids.opaque())
                .type(TYPE)
                .headers(Headers.none().with("zero", new byte[] {0}).with("none", (byte[]) null))
                .orderingKey("key")
                .payload("payload")
                .build();
        List<Message> seen = new ArrayList<>();
        List<Integer> attempts = new ArrayList<>();
        Inbox<C> inbox = inbox((payload, context) -> {
            seen.add(context.message());
            attempts.add(context.attempt());
        });

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(seen).containsExactly(message);
        assertThat(attempts).containsExactly(1);
    }

    @Test
    void listHandlerGetsNeighboursTogether() {
        List<Integer> sizes = new ArrayList<>();
        List<Message> messages = messages(20);
        Inbox<C> inbox = builder()
                .handleBatch(TYPE, PayloadDecoder.text(), list -> {
                    sizes.add(list.size());
                    list.forEach(each -> fixture.write(each.context(), each.payload()));
                })
                .build();

        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(sizes).containsExactly(20);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
    }

    @Test
    void oneListHandlerOfTwoTypesGetsEachTypeApart() {
        List<List<String>> calls = new ArrayList<>();
        BatchHandler<String, C> both = list -> calls.add(
                list.stream().map(each -> each.context().message().type()).toList());
        Inbox<C> inbox = builder()
                .handleBatch("debit", PayloadDecoder.text(), both)
                .handleBatch("credit", PayloadDecoder.text(), both)
                .build();

        inbox.process(Stream.of("debit", "debit", "credit", "debit")
                .map(type -> Message.builder("notes")
                        .id(Ids.opaque())
                        .type(type)
                        .payload(type)
                        .build())
                .toList());

        assertThat(calls).containsExactly(List.of("debit", "debit"), List.of("credit"), List.of("debit"));
    }

    /** What is wrong with them may be why somebody has paused it. */
    @Test
    void messagesWithoutAnIdMakeNoDeadLettersWhileTheConsumerIsPaused() {
        Inbox<C> inbox = writing();
        Message unusable = Message.builder("notes").type(TYPE).payload("x").build();
        fixture.pause(consumer, true);
        assertThatThrownBy(() -> inbox.process(List.of(unusable, unusable)))
                .isInstanceOf(ConsumerPausedException.class);

        fixture.pause(consumer, false);
        assertThat(kinds(inbox.process(List.of(unusable)))).containsExactly(Kind.DEAD);
    }

    /** As one does that decrypts in place. */
    @Test
    void handlerMayChangeTheBytesThatItGets() {
        List<String> got = new ArrayList<>();
        Inbox<C> inbox = builder()
                .handle(TYPE, PayloadDecoder.bytes(), (payload, context) -> {
                    got.add(new String(payload, UTF_8));
                    Arrays.fill(payload, (byte) '?');
                    if (got.size() < 3) {
                        throw new IllegalStateException("not now");
                    }
                })
                .build();
        Message message = message("secret");

        inbox.process(message);
        for (int i = 0; i < 2; i++) {
            fixture.advance(Duration.ofHours(2));
            inbox.work();
        }

        assertThat(got).containsExactly("secret", "secret", "secret");
        assertThat(new String(message.payload(), UTF_8)).isEqualTo("secret");
    }

    @Test
    void listHandlerGetsNewMessagesOnly() {
        List<Message> messages = messages(4);
        writing().process(List.of(messages.get(1), messages.get(2)));
        List<String> handed = new ArrayList<>();
        Inbox<C> inbox = builder()
                .handleBatch(TYPE, PayloadDecoder.text(), list -> list.forEach(each -> handed.add(each.payload())))
                .build();

        inbox.process(messages);

        assertThat(handed).containsExactly("0", "3");
    }

    @Test
    void idempotencyKeyIsTheSameForEveryRunAndDiffersByStepAndConsumer() {
        List<String> keys = new ArrayList<>();
        Message message = message("x");
        plan.at(CrashPoint.BEFORE_COMMIT, 1, () -> {
            throw new StoreException(ErrorClass.RETRY_NOW, "once more", null);
        });
        inbox((payload, context) -> keys.add(context.idempotencyKey("charge"))).process(message);
        consumer = randomName();
        inbox((payload, context) -> {
                    keys.add(context.idempotencyKey("charge"));
                    keys.add(context.idempotencyKey("refund"));
                })
                .process(message);

        assertThat(keys).hasSize(4);
        assertThat(keys.get(0)).isEqualTo(keys.get(1));
        assertThat(keys.subList(1, 4)).doesNotHaveDuplicates();
    }

    @Test
    void typeIsReadFromItsHeader() {
        Inbox<C> inbox = builder(this::write).typeHeader("kind").build();
        Message message = Message.builder("notes")
                .id(Ids.opaque())
                .headers(Headers.none().with("kind", TYPE))
                .payload("typed")
                .build();

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
    }

    @Test
    void messageWithoutTypeHasTheDefaultType() {
        Inbox<C> inbox = builder(this::write).defaultType(TYPE).build();
        Message message =
                Message.builder("notes").id(Ids.opaque()).payload("untyped").build();

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("untyped");
    }

    @Test
    void handlerForEveryOtherTypeTakesWhatHasNoHandlerOfItsOwnAndWhatHasNoType() {
        List<String> others = new ArrayList<>();
        Inbox<C> inbox = builder(this::write)
                .handleOther(PayloadDecoder.text(), (payload, context) -> {
                    others.add(context.message().type() + " " + payload);
                })
                .build();
        Message.Builder message = Message.builder("notes");

        assertThat(inbox.process(List.of(
                        message.id(Ids.opaque()).type(TYPE).payload("own").build(),
                        message.id(Ids.opaque()).type("another").payload("b").build(),
                        message.id(Ids.opaque()).type(null).payload("c").build())))
                .extracting(Outcome::kind)
                .containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("own");
        assertThat(others).containsExactly("another b", "null c");
        assertThat(inbox.process(message.build()).kind()).isEqualTo(Kind.DUPLICATE);
    }

    @Test
    void ignoredTypeIsClaimedAndReportedAsProcessed() {
        Inbox<C> inbox = builder(this::write).unknownType(UnknownType.IGNORE).build();
        Message message = Message.builder("notes")
                .id(Ids.opaque())
                .type("somebody else's")
                .payload("x")
                .build();

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.deadLetters(consumer)).isEmpty();
    }

    @Test
    void listenerIsToldAfterTheCommit() {
        List<String> told = new CopyOnWriteArrayList<>();
        List<String> effectsThen = new CopyOnWriteArrayList<>();
        Message message = message("x");
        Inbox<C> inbox = builder(this::write)
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message each, Outcome outcome) {
                        told.add(name + " " + payload(each) + " " + outcome.kind());
                        effectsThen.addAll(fixture.effects());
                    }
                })
                .build();

        inbox.process(List.of(message, message));

        assertThat(told).containsExactly(consumer + " x PROCESSED", consumer + " x DUPLICATE");
        assertThat(effectsThen).startsWith("x");
    }

    @Test
    void listenerThatThrowsChangesNothing() {
        List<String> toldToTheNext = new ArrayList<>();
        Inbox<C> inbox = builder(this::write)
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message each, Outcome outcome) {
                        throw new IllegalStateException("this listener always throws");
                    }
                })
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message each, Outcome outcome) {
                        toldToTheNext.add(payload(each));
                    }
                })
                .build();

        assertThat(kinds(inbox.process(messages(2)))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "1");
        assertThat(toldToTheNext).containsExactly("0", "1");
    }

    @Test
    void historyIsRecordedAsAskedFor() {
        Message message = message("x");
        builder(this::write).history(HistoryMode.WITH_PAYLOAD).build().process(message);
        assertThat(fixture.history(consumer))
                .extracting(StoredMessage::id, StoredMessage::payload, StoredMessage::attempts)
                .containsExactly(Tuple.tuple(message.id(), StoredMessage.hex(message), 1));

        consumer = randomName();
        builder(this::write).history(HistoryMode.WITHOUT_PAYLOAD).build().process(message);
        assertThat(fixture.history(consumer))
                .extracting(StoredMessage::id, StoredMessage::payload, StoredMessage::attempts)
                .containsExactly(Tuple.tuple(message.id(), null, 1));
    }
}
