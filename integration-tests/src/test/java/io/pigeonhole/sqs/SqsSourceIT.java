package io.pigeonhole.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** The source against a real server, with a store in memory. */
class SqsSourceIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration TWO_SECONDS = Duration.ofSeconds(2);

    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final InMemoryStore store = InMemoryStore.create();
    private final String consumer = "consumer-" + UUID.randomUUID();
    private final Queue<Message> received = new ConcurrentLinkedQueue<>();
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @AfterEach
    void closeAll() throws Exception {
        goOn.countDown();
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    private SqsTestQueue queue(String suffix) {
        SqsTestQueue queue = SqsTestQueue.ofNewName(suffix);
        toClose.add(queue);
        return queue;
    }

    private InboxBuilder<InMemoryContext> builder() {
        return Inbox.builder(consumer, store);
    }

    private Inbox<InMemoryContext> writing() {
        return builder().handle("note", PayloadDecoder.text(), this::write).build();
    }

    private void write(String payload, InMemoryContext context) {
        received.add(context.message());
        context.defer(() -> effects.add(payload));
    }

    /** Its handler waits for {@link #goOn}. */
    private Inbox<InMemoryContext> waiting() {
        return builder()
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    runs.incrementAndGet();
                    begun.countDown();
                    if (!goOn.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                        throw new IllegalStateException("nobody let the handler go on");
                    }
                    write(payload, context);
                })
                .build();
    }

    private SqsSource start(SqsSourceBuilder builder) {
        SqsSource source = builder.build();
        toClose.add(source);
        source.start();
        return source;
    }

    private static Message note(String payload, String key) {
        return Message.builder("sent")
                .id(UUID.randomUUID().toString())
                .type("note")
                .orderingKey(key)
                .payload(payload)
                .build();
    }

    private static List<Message> notes(int count) {
        return IntStream.range(0, count).mapToObj(i -> note("" + i, "k")).toList();
    }

    private void awaitEffects(int count) {
        await().atMost(PATIENCE).until(() -> effects.size() >= count);
    }

    private void awaitBegun() throws InterruptedException {
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Tag("full")
    @Test
    void handlerThatIsSlowerThanTheVisibilityTimeoutRunsOnce() throws InterruptedException {
        SqsTestQueue queue = queue("");
        queue.send(notes(1));
        start(queue.builder(waiting()).visibilityTimeout(TWO_SECONDS));
        awaitBegun();
        // Whoever else asks, for longer than the timeout, is given nothing.
        var others = queue.client()
                .receiveMessage(request ->
                        request.queueUrl(queue.url()).waitTimeSeconds(7).visibilityTimeout(0));
        assertThat(others.messages()).isEmpty();
        goOn.countDown();
        awaitEffects(1);
        await().atMost(PATIENCE).until(() -> queue.left(consumer) == 0);
        assertThat(runs).hasValue(1);
        assertThat(received.element().deliveries()).isEqualTo(1);
    }

    @Tag("full")
    @Test
    void messageThatCannotBeKeptHiddenAnyLongerIsWorkedOnAllTheSame() throws InterruptedException {
        SqsTestQueue queue = queue("");
        queue.send(notes(1));
        start(queue.builder(waiting())
                .visibilityTimeout(TWO_SECONDS)
                .longestHold(Duration.ofSeconds(3))
                .maxUnfinished(1, 1 << 20));
        awaitBegun();
        // The source is full, so that it is somebody else who is given it.
        var others = queue.client()
                .receiveMessage(request ->
                        request.queueUrl(queue.url()).waitTimeSeconds(15).visibilityTimeout(0));
        assertThat(others.messages()).hasSize(1);
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> queue.left(consumer) == 0);
        assertThat(effects).containsExactly("0");
        assertThat(runs).hasValue(1);
    }

    @Test
    void onlyWhatIsUnsettledIsKeptHidden() throws InterruptedException {
        SqsTestQueue queue = queue("");
        Disturbance calls = new Disturbance();
        SqsClient client = calls.client();
        toClose.add(client);
        Inbox<InMemoryContext> inbox = builder()
                .handle("quick", PayloadDecoder.text(), this::write)
                .handle("note", PayloadDecoder.text(), (payload, context) -> goOn.await())
                .build();
        start(SqsSource.builder(inbox, client, queue.name()).visibilityTimeout(TWO_SECONDS));
        queue.send(List.of(
                Message.builder("sent").id("quick").type("quick").payload("q").build()));
        awaitEffects(1);
        await().atMost(PATIENCE).until(() -> queue.left(consumer) == 0);
        queue.send(notes(1));
        await().atMost(PATIENCE).until(() -> calls.hidden().size() >= 3);
        assertThat(calls.hidden()).doesNotContainAnyElementsOf(calls.deleted());
        goOn.countDown();
    }

    @Tag("full")
    @Test
    void whatWaitsWhenTheSourceIsClosedOthersMayHaveAtOnce() throws InterruptedException {
        SqsTestQueue queue = queue("");
        queue.send(notes(10));
        SqsSource source = start(queue.builder(waiting())
                .concurrency(1)
                .maxBatch(1)
                .visibilityTimeout(Duration.ofMinutes(10))
                .closeTimeout(PATIENCE));
        awaitBegun();
        await().atMost(PATIENCE).until(() -> queue.hidden() == 10);
        Thread closing = new Thread(source::close, "closing");
        closing.start();
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.CLOSED);
        goOn.countDown();
        closing.join(PATIENCE.toMillis());
        assertThat(closing.isAlive()).isFalse();
        assertThat(effects).hasSize(1);
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(queue.visible()).isEqualTo(9);
            assertThat(queue.hidden()).isZero();
        });
    }

    @Test
    void receiveCountIsHandedOn() {
        SqsTestQueue queue = queue("");
        queue.send(notes(1));
        for (int i = 0; i < 2; i++) {
            var seen = queue.client()
                    .receiveMessage(request ->
                            request.queueUrl(queue.url()).waitTimeSeconds(10).visibilityTimeout(0));
            assertThat(seen.messages()).hasSize(1);
        }
        start(queue.builder(writing()));
        awaitEffects(1);
        assertThat(received.element().deliveries()).isEqualTo(3);
        assertThat(received.element().origin()).startsWith(queue.name() + " ");
    }

    @Test
    void nothingIsReceivedBeforeTheDatabaseAnswers() {
        SqsTestQueue queue = queue("");
        queue.send(notes(1));
        Inbox<InMemoryContext> inbox = writing();
        store.available(false);
        SqsSource source = start(queue.builder(inbox));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        assertThat(queue.hidden()).isZero();
        store.available(true);
        awaitEffects(1);
        assertThat(received.element().deliveries()).isEqualTo(1);
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    @Test
    void nothingIsReceivedWhileEnoughIsUnfinished() throws InterruptedException {
        SqsTestQueue queue = queue("");
        queue.send(notes(200));
        start(queue.builder(waiting()).maxUnfinished(20, 1 << 20));
        awaitBegun();
        await().atMost(PATIENCE).until(() -> queue.hidden() >= 20);
        await().during(Duration.ofSeconds(1)).atMost(PATIENCE).until(() -> queue.hidden() <= 40);
        goOn.countDown();
        awaitEffects(200);
    }

    @Test
    void whatWaitsGoesIntoOneTransactionHoweverManyReceivesBroughtIt() throws InterruptedException {
        SqsTestQueue queue = queue("");
        queue.send(notes(100));
        Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
        Inbox<InMemoryContext> inbox = builder()
                .handleBatch("note", PayloadDecoder.text(), messages -> {
                    sizes.add(messages.size());
                    begun.countDown();
                    goOn.await();
                })
                .build();
        start(queue.builder(inbox).concurrency(1));
        awaitBegun();
        await().atMost(PATIENCE).until(() -> queue.hidden() == 100);
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> queue.left(consumer) == 0);
        assertThat(sizes).anyMatch(size -> size > 50);
    }

    @Test
    void base64IsUndoneAndItsMarkRemoved() {
        SqsTestQueue queue = queue("");
        byte[] bytes = {0, 1, (byte) 0xff};
        queue.send(List.of(encoded(Base64.getEncoder().encodeToString(bytes))));
        Inbox<InMemoryContext> inbox = builder()
                .handle("note", PayloadDecoder.bytes(), (payload, context) -> {
                    received.add(context.message());
                    context.defer(() -> effects.add("done"));
                })
                .build();
        start(queue.builder(inbox));
        awaitEffects(1);
        assertThat(received.element().payload()).isEqualTo(bytes);
        assertThat(received.element().headers().last("content-encoding")).isNull();
    }

    @Test
    void whatIsNotTheBase64ThatItClaimsToBeIsADeadLetter() {
        SqsTestQueue queue = queue("");
        queue.send(List.of(encoded("100 %"), note("good", "k")));
        start(queue.builder(writing()));
        awaitEffects(1);
        await().atMost(PATIENCE).until(() -> !store.deadLetters(consumer).isEmpty());
        var letter = store.deadLetters(consumer).get(0);
        assertThat(letter.reason()).isEqualTo(DeadReason.UNDECODABLE);
        assertThat(new String(letter.message().payload(), UTF_8)).isEqualTo("100 %");
        await().atMost(PATIENCE).until(() -> queue.left(consumer) == 0);
        assertThat(effects).containsExactly("good");
    }

    private static Message encoded(String body) {
        return Message.builder("sent")
                .id(UUID.randomUUID().toString())
                .type("note")
                .headers(Headers.none().with("content-encoding", "base64"))
                .payload(body)
                .build();
    }

    @Test
    void messageWithoutAnIdGetsThatOfSqsWhereItIsAskedFor() {
        SqsTestQueue queue = queue("");
        queue.send(List.of(Message.builder("sent").type("note").payload("no id").build(), note("id", "k")));
        start(queue.builder(writing()).idFallback(IdFallback.TRANSPORT).sourceName("elsewhere"));
        awaitEffects(2);
        assertThat(received.stream().map(message -> String.valueOf(message.id())))
                .anyMatch(id -> id.matches("sqs:[0-9a-f-]{36}"));
        assertThat(received).allMatch(message -> message.source().equals("elsewhere"));
    }

    @Test
    void groupGoesOnBehindAFailedMessage() {
        SqsTestQueue queue = queue(".fifo");
        queue.send(notes(30));
        start(queue.builder(failing("7").build()));
        awaitEffects(29);
        assertThat(effects.stream().map(Integer::valueOf)).isSorted().doesNotContain(7);
        await().atMost(PATIENCE).until(() -> queue.left(consumer) == 0);
        assertThat(store.parked(consumer)).hasSize(1);
    }

    @Test
    void groupWaitsInTheInboxBehindAFailedMessageWhereItKeepsAnOrder() {
        SqsTestQueue queue = queue(".fifo");
        queue.send(notes(30));
        queue.send(List.of(note("other", "another-group")));
        start(queue.builder(failing("7").order(KeyOrder.SKIP_DEAD_LETTERS).build()));
        await().atMost(PATIENCE).until(() -> queue.left(consumer) == 0);
        assertThat(effects).contains("other");
        assertThat(effects.stream().filter(effect -> !effect.equals("other")))
                .containsExactly("0", "1", "2", "3", "4", "5", "6");
    }

    private InboxBuilder<InMemoryContext> failing(String bad) {
        return builder().handle("note", PayloadDecoder.text(), (payload, context) -> {
            if (payload.equals(bad)) {
                throw new IllegalStateException("not now");
            }
            write(payload, context);
        });
    }

    @Test
    void queueThatAppearsLaterIsFound() {
        String name = "later-" + UUID.randomUUID();
        SqsClient client = SqsServer.client();
        SqsSource source = start(SqsSource.builder(writing(), client, name));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_BROKER);
        SqsTestQueue queue = new SqsTestQueue(name, SqsServer.client(), client);
        toClose.add(0, queue);
        queue.send(notes(1));
        awaitEffects(1);
        assertThat(source.failure()).isNull();
    }

    @Test
    void deletionThatSqsFailsToDoIsTriedAgain() {
        SqsTestQueue queue = queue("");
        Disturbance calls = new Disturbance().refusingTheFirstDeletions(3);
        SqsClient client = calls.client();
        toClose.add(client);
        queue.send(notes(25));
        start(SqsSource.builder(writing(), client, queue.name()));
        awaitEffects(25);
        await().atMost(PATIENCE).until(() -> queue.left(consumer) == 0);
        assertThat(calls.refused()).isEqualTo(3);
        assertThat(effects).hasSize(25);
    }

    @Test
    void deletionOfWhatIsDeletedAlreadyIsNoFailure() {
        SqsTestQueue queue = queue("");
        Disturbance calls = new Disturbance().losingTheFirstAnswersToDeletions(3);
        SqsClient client = calls.client();
        toClose.add(client);
        queue.send(notes(25));
        SqsSource source = start(SqsSource.builder(writing(), client, queue.name()));
        awaitEffects(25);
        await().atMost(PATIENCE).until(() -> queue.left(consumer) == 0);
        source.close();
        assertThat(calls.refused()).isEqualTo(3);
        assertThat(source.failure()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"403, InvalidClientTokenId", "400, AccessDeniedException"})
    void sourceThatIsRefusedForGoodTellsWhy(int status, String code) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] answer = ("{\"__type\":\"com.amazonaws.sqs#" + code + "\",\"message\":\"no\"}").getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.0");
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        toClose.add(() -> server.stop(0));
        SqsClient client = SqsServer.client(server.getAddress().getPort());
        toClose.add(client);
        SqsSource source = start(SqsSource.builder(writing(), client, "notes"));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
        assertThat(source.failure())
                .isInstanceOfSatisfying(
                        SqsException.class,
                        failure -> assertThat(failure.awsErrorDetails().errorCode())
                                .isEqualTo(code));
        source.close();
        assertThat(source.state()).isEqualTo(SourceState.FAILED);
    }

    @Tag("full")
    @Test
    void sourceWhoseServerIsAwayGoesOnAskingAndClosesInBoundedTime() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        SqsClient client = SqsServer.client(port);
        toClose.add(client);
        SqsSource source = start(SqsSource.builder(writing(), client, "notes"));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_BROKER);
        long begin = System.nanoTime();
        source.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
    }
}
