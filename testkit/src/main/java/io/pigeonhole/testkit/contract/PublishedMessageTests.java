package io.pigeonhole.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.testkit.contract.PublisherFixture.Ability;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What is published comes in through the source of the same broker as it was. */
abstract class PublishedMessageTests<C extends HandlerContext> extends PublisherLab<C> {
    private static final int LARGE = 64 << 10;

    PublishedMessageTests(Supplier<PublisherFixture> publishing, Supplier<StoreFixture<C>> stores) {
        super(publishing, stores);
    }

    private static void assertSame(Message actual, Message sent) {
        assertThat(actual.id()).isEqualTo(sent.id());
        assertThat(actual.type()).isEqualTo(sent.type());
        assertThat(actual.orderingKey()).isEqualTo(sent.orderingKey());
        assertThat(actual.contentType()).isEqualTo(sent.contentType());
        assertThat(actual.payload()).isEqualTo(sent.payload());
        assertThat(actual.isTombstone()).isEqualTo(sent.isTombstone());
        sent.headers()
                .forEach(header -> assertThatHeaders(actual, header.name())
                        .containsExactlyElementsOf(sent.headers().list().stream()
                                .filter(other -> other.name().equals(header.name()))
                                .toList()));
    }

    private static ListAssert<Header> assertThatHeaders(Message message, String name) {
        return assertThat(message.headers().list().stream()
                .filter(header -> header.name().equals(name))
                .toList());
    }

    @Test
    void publishedMessageComesInAsItWas() {
        Message sent = builder()
                .headers(Headers.none()
                        .with("correlation-id", "4711")
                        .with("tenant", "Müller & Söhne €")
                        .with("binary", new byte[] {0, (byte) 0xff, (byte) 0xc3, 0x28}))
                .contentType("application/json; charset=utf-8")
                .payload("{\"Straße\": \"日本 🙂\"}")
                .build();
        assertSame(publishAndReceive(sent), sent);
    }

    @Test
    void messageWithNothingButATypeComesInAsItWas() {
        Message.Builder bare =
                Message.builder("sent").id(message().id()).type(TYPE).payload("x");
        Message sent =
                can(Ability.NO_KEY) ? bare.build() : bare.orderingKey("key").build();
        assertSame(publishAndReceive(sent), sent);
    }

    @TestFactory
    Stream<DynamicTest> payloadsOfAnyBytesComeInAsTheyWere() {
        Map<String, byte[]> payloads = new LinkedHashMap<>();
        payloads.put("NUL", new byte[] {'a', 0, 'b'});
        payloads.put("no UTF-8", new byte[] {(byte) 0xff, (byte) 0xc3, 0x28});
        payloads.put("white space", " \t\r\n ".getBytes(UTF_8));
        payloads.put("noncharacters", "\uFFFE\uFFFF\uFEFF".getBytes(UTF_8));
        payloads.put("markup", "<a b='&amp;'>]]>\"\\u0041".getBytes(UTF_8));
        payloads.put("base64", "aGVsbG8=".getBytes(UTF_8));
        byte[] large = new byte[LARGE];
        new Random(1).nextBytes(large);
        payloads.put("64 KiB", large);
        return Stream.of(dynamicTest(String.join(", ", payloads.keySet()), StoreLab.bounded(() -> {
            List<Message> sent = new ArrayList<>();
            payloads.values().forEach(bytes -> sent.add(builder().payload(bytes).build()));
            assertConfirmed(sent);
            takeMessages();
            List<Message> came = received(sent.size());
            for (Message message : sent) {
                assertThat(came)
                        .filteredOn(other -> idOf(other).equals(message.id()))
                        .singleElement()
                        .satisfies(other -> assertSame(other, message));
            }
        })));
    }

    /** It comes in as it was, or it is refused for good. */
    private void assertComesInOrIsRefused(Ability ability, Message message) {
        if (can(ability)) {
            assertSame(publishAndReceive(message), message);
        } else {
            assertThat(publish(message))
                    .isInstanceOfSatisfying(
                            Publication.Refused.class,
                            refused -> assertThat(refused.cause()).isInstanceOf(PermanentFailure.class));
        }
    }

    @Test
    void emptyPayloadComesInEmptyOrIsRefused() {
        assertComesInOrIsRefused(Ability.EMPTY_PAYLOADS, builder().payload("").build());
    }

    @Test
    void tombstoneComesInAsOneOrIsRefused() {
        assertComesInOrIsRefused(
                Ability.TOMBSTONES, builder().payload((byte[]) null).build());
    }

    @Test
    void headersOfOneNameComeInAllOrAreRefused() {
        Headers twice = Headers.none().with("trace", "1").with("trace", "2");
        assertComesInOrIsRefused(
                Ability.REPEATED_HEADERS, builder().headers(twice).build());
    }

    @TestFactory
    Stream<DynamicTest> orderingKeyOfAnyBytesComesInAsItWas() {
        return Stream.of("account 7", "Müller", "a\nb", "k".repeat(1024))
                .filter(key -> can(Ability.ANY_KEY))
                .map(key -> dynamicTest("key of " + key.length() + " characters", StoreLab.bounded(() -> {
                    Message sent = builder().orderingKey(key).build();
                    int before = receivedSoFar();
                    assertConfirmed(sent);
                    takeMessages();
                    assertSame(received(before + 1).get(before), sent);
                    takeTheRest();
                })));
    }

    @Test
    void messageHasTheSameIdHoweverOftenItIsPublished() {
        Message again = message();
        assertConfirmed(again);
        assertConfirmed(again);
        Message last = message();
        assertConfirmed(last);
        takeMessages();
        received(2);
        takeTheRest();
        assertThat(ids(received(2))).containsExactlyInAnyOrder(idOf(again), idOf(last));
    }

    @Test
    void headersNamedLikeThoseOfTheBrokerChangeNothing() {
        Headers misleading = Headers.none()
                .with("message-id", "not the id")
                .with("message-type", "not the type")
                .with("content-type", "not/the-type")
                .with("ordering-key", "not the key")
                .with("causation-id", "the cause");
        Message sent = builder().headers(misleading).build();
        Message came = publishAndReceive(sent);
        assertThat(came.id()).isEqualTo(sent.id());
        assertThat(came.type()).isEqualTo(sent.type());
        assertThat(came.contentType()).isEqualTo(sent.contentType());
        assertThat(came.orderingKey()).isEqualTo(sent.orderingKey());
        assertThatHeaders(came, "causation-id")
                .containsExactly(new Header("causation-id", "the cause".getBytes(UTF_8)));
    }

    @Test
    void headersNamedLikeThoseOfTheBrokerDoNotStandForWhatAMessageLacks() {
        Headers misleading = Headers.none().with("content-type", "not/the-type").with("ordering-key", "not the key");
        Message.Builder bare = Message.builder("sent")
                .id(message().id())
                .type(TYPE)
                .headers(misleading)
                .payload("x");
        Message sent =
                can(Ability.NO_KEY) ? bare.build() : bare.orderingKey("key").build();
        Message came = publishAndReceive(sent);
        assertThat(came.contentType()).isNull();
        assertThat(came.orderingKey()).isEqualTo(sent.orderingKey());
    }

    @Test
    void manyMessagesOfOneCallAllComeIn() {
        List<Message> sent = messages(500);
        assertConfirmed(sent);
        takeMessages();
        assertThat(ids(received(sent.size()))).containsExactlyInAnyOrderElementsOf(ids(sent));
    }

    @Test
    void publishedMessagesOfManyThreadsAllComeIn() throws Exception {
        List<List<Message>> all = threads.together(8, number -> {
            List<Message> sent = messages(100);
            for (int from = 0; from < sent.size(); from += 20) {
                assertConfirmed(sent.subList(from, from + 20));
            }
            return sent;
        });
        takeMessages();
        List<Message> sent = all.stream().flatMap(List::stream).toList();
        assertThat(ids(received(sent.size()))).containsExactlyInAnyOrderElementsOf(ids(sent));
    }
}
