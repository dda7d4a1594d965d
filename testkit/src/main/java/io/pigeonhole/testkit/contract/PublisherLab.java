package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.outbox.MessageIds;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publisher;
import io.pigeonhole.testkit.contract.PublisherFixture.Ability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** What the tests of a publisher begin with: a publisher, and an inbox that takes what it publishes. */
@Timeout(240)
abstract class PublisherLab<C extends HandlerContext> {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    /** For what should be confirmed. */
    static final Duration LONG = Duration.ofSeconds(30);
    /** For what should not. */
    static final Duration SHORT = Duration.ofSeconds(2);
    /** What a call may need beyond its time to give up. */
    static final Duration MARGIN = Duration.ofSeconds(5);

    static final String TYPE = "note";

    private final Supplier<PublisherFixture> publishing;
    private final Supplier<StoreFixture<C>> stores;
    private final List<Message> received = Collections.synchronizedList(new ArrayList<>());
    private final String consumer = InboxLab.randomName();
    private final List<Node> nodes = new ArrayList<>();

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    PublisherFixture fixture;

    @SuppressWarnings("NullAway.Init")
    Publisher publisher;

    @SuppressWarnings("NullAway.Init")
    StoreFixture<C> store;

    @SuppressWarnings("NullAway.Init")
    Threads threads;

    PublisherLab(Supplier<PublisherFixture> publishing, Supplier<StoreFixture<C>> stores) {
        this.publishing = publishing;
        this.stores = stores;
    }

    @BeforeEach
    void open() {
        store = stores.get();
        fixture = publishing.get();
        publisher = fixture.publisher();
        threads = new Threads();
    }

    @AfterEach
    void close() {
        threads.close();
        fixture.comeBack();
        closeNodes();
        fixture.close();
        store.close();
    }

    boolean can(Ability ability) {
        return fixture.abilities().contains(ability);
    }

    /** A message with all that one has, and nothing special about it. */
    static Message.Builder builder() {
        return Message.builder("sent")
                .id(MessageIds.next())
                .type(TYPE)
                .orderingKey("key-" + MessageIds.next())
                .contentType("text/plain")
                .payload("hello");
    }

    static Message message() {
        return builder().build();
    }

    /** Messages of different keys. */
    static List<Message> messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> message()).toList();
    }

    static List<MessageId> ids(List<Message> messages) {
        return messages.stream().map(PublisherLab::idOf).toList();
    }

    static MessageId idOf(Message message) {
        MessageId id = message.id();
        if (id == null) {
            throw new IllegalArgumentException("this test needs an id");
        }
        return id;
    }

    Publication publish(Message message) {
        return publisher.publish(List.of(message), LONG).get(0);
    }

    void assertConfirmed(List<Message> messages) {
        assertThat(publisher.publish(messages, LONG))
                .hasSize(messages.size())
                .allMatch(outcome -> outcome instanceof Publication.Confirmed);
    }

    void assertConfirmed(Message message) {
        assertConfirmed(List.of(message));
    }

    /** Where a client needs a while to notice that the broker is back. */
    void awaitConfirmed(Message message) {
        await().atMost(PATIENCE)
                .until(() -> publisher.publish(List.of(message), SHORT).get(0) instanceof Publication.Confirmed);
    }

    /** Takes messages to an inbox, from now on. */
    void takeMessages() {
        Inbox<C> inbox = Inbox.builder(consumer, store.store())
                .handle(TYPE, PayloadDecoder.bytes(), (payload, context) -> received.add(context.message()))
                .build();
        nodes.add(Node.builder(store.store())
                .source(fixture.queue().source(inbox))
                .workers(0)
                .start());
    }

    /** The messages that came, each once, as soon as there are so many. */
    List<Message> received(int count) {
        await().atMost(PATIENCE).until(() -> received.size() >= count);
        return List.copyOf(received);
    }

    int receivedSoFar() {
        return received.size();
    }

    /** Ends the taking of messages when the broker, asked while nobody takes any, has none left. */
    void takeTheRest() {
        await().atMost(PATIENCE).pollDelay(Duration.ZERO).until(() -> {
            closeNodes();
            boolean rest = !becomesEmpty(Duration.ofMillis(500));
            if (rest) {
                takeMessages();
                becomesEmpty(Duration.ofSeconds(2));
            }
            return !rest;
        });
    }

    /** Whether the broker has nothing left within some time; it may count those who take messages as something. */
    private boolean becomesEmpty(Duration patience) {
        try {
            await().pollDelay(Duration.ZERO)
                    .atMost(patience)
                    .until(() -> fixture.queue().left(consumer) == 0);
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }

    private void closeNodes() {
        nodes.forEach(Node::close);
        nodes.clear();
    }

    /** What came of a message that was published alone. */
    Message publishAndReceive(Message message) {
        assertConfirmed(message);
        takeMessages();
        return received(1).get(0);
    }
}
