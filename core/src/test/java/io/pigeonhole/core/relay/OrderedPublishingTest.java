package io.pigeonhole.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OrderedPublishingTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final AtomicLong nanos = new AtomicLong();
    private final List<String> calls = new ArrayList<>();
    private Duration each = Duration.ZERO;
    private Set<String> refused = Set.of();
    private Set<String> unavailable = Set.of();
    private int answers = -1;

    private final Publisher publisher = new Publisher() {
        @Override
        public String name() {
            return "a publisher";
        }

        @Override
        public List<Publication> publish(List<Message> messages, Duration timeout) {
            calls.add(String.join(
                    " ", messages.stream().map(OrderedPublishingTest::text).toList()));
            nanos.addAndGet(each.toNanos());
            List<Publication> outcomes = new ArrayList<>();
            messages.forEach(message -> outcomes.add(outcome(text(message))));
            return answers < 0 ? outcomes : outcomes.subList(0, answers);
        }

        private Publication outcome(String text) {
            if (unavailable.contains(text)) {
                return new Publication.Unavailable(new IllegalStateException("away"));
            }
            return refused.contains(text)
                    ? new Publication.Refused(new IllegalArgumentException("no"))
                    : Publication.CONFIRMED;
        }
    };

    private static String text(Message message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    /** A key is a letter; what begins with another character has none. */
    private static List<Message> messages(String... texts) {
        List<Message> messages = new ArrayList<>();
        for (String text : texts) {
            Message.Builder builder = Message.builder("orders").payload(text);
            messages.add(
                    (Character.isLetter(text.charAt(0)) ? builder.orderingKey(text.substring(0, 1)) : builder).build());
        }
        return messages;
    }

    private OrderedPublishing publish(boolean inOrder, String... texts) {
        return new OrderedPublishing(publisher, inOrder, messages(texts), texts.length, nanos::get).run(LONG);
    }

    @Test
    void noMoreThanAFewAreTriedAndNothingBeforeWhatIsInFrontOfIt() {
        List<Message> all = messages("a1", "a2", "b1", "b2", "1");
        OrderedPublishing published = new OrderedPublishing(publisher, true, all, 2, nanos::get).run(LONG);

        assertThat(calls).hasSize(1);
        assertThat(calls.get(0)).isIn("a1 b1", "a1 1", "b1 1");
        long tried =
                IntStream.range(0, 5).filter(i -> published.outcome(i) != null).count();
        assertThat(tried).isEqualTo(2);
    }

    @Test
    void firstOfEachKeyGoTogetherAndTheOthersBehindThem() {
        OrderedPublishing published = publish(true, "a1", "a2", "b1", "1", "a3", "b2", "2");

        assertThat(calls).containsExactly("a1 b1 1 2", "a2 b2", "a3");
        for (int i = 0; i < 7; i++) {
            assertThat(published.outcome(i)).isEqualTo(Publication.CONFIRMED);
        }
        assertThat(published.unavailable()).isNull();
    }

    @Test
    void allGoTogetherWithoutAnOrder() {
        publish(false, "a1", "a2", "1");
        assertThat(calls).containsExactly("a1 a2 1");
    }

    @Test
    void nothingOfAKeyIsTriedBehindARefusal() {
        refused = Set.of("a1", "b2");
        OrderedPublishing published = publish(true, "a1", "a2", "b1", "b2", "b3", "c1", "c2");

        assertThat(calls).containsExactly("a1 b1 c1", "b2 c2");
        assertThat(published.outcome(0)).isInstanceOf(Publication.Refused.class);
        assertThat(published.outcome(1)).isNull();
        assertThat(published.outcome(4)).isNull();
        assertThat(published.outcome(6)).isEqualTo(Publication.CONFIRMED);
    }

    @Test
    void nothingIsTriedOnceTheBrokerIsAway() {
        unavailable = Set.of("b1");
        OrderedPublishing published = publish(true, "a1", "a2", "b1", "b2");

        assertThat(calls).containsExactly("a1 b1");
        assertThat(published.outcome(0)).isEqualTo(Publication.CONFIRMED);
        assertThat(published.outcome(1)).isNull();
        assertThat(published.unavailable()).hasMessage("away");
    }

    @Test
    void nothingIsBegunOnceHalfOfTheTimeIsOver() {
        each = Duration.ofSeconds(3);
        OrderedPublishing published = publish(true, "a1", "a2", "a3");

        assertThat(calls).containsExactly("a1", "a2");
        assertThat(published.outcome(2)).isNull();
        assertThat(published.unavailable()).isNull();
    }

    @Test
    void publisherThatForgetsAMessageIsTakenForABrokerThatIsAway() {
        answers = 1;
        OrderedPublishing published = publish(true, "a1", "b1");

        assertThat(published.outcome(0)).isInstanceOf(Publication.Unavailable.class);
        assertThat(published.unavailable()).hasMessageContaining("of each of 2 messages");
    }
}
