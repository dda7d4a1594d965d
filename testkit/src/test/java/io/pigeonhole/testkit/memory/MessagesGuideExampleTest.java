package io.pigeonhole.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/messages.md}: what stands between the marks is compared with it. */
class MessagesGuideExampleTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?)// end", Pattern.DOTALL);
    private static final Path HERE =
            Path.of("src", "test", "java", "io", "pigeonhole", "testkit", "memory", "MessagesGuideExampleTest.java");

    private final InMemoryStore store = InMemoryStore.create();
    private final List<String> paid = new ArrayList<>();
    private int acknowledged;

    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .handle("payment.requested", PayloadDecoder.text(), (payment, context) -> {
                String correlation = context.message().headers().lastText("correlation-id");
                context.defer(() -> paid.add(correlation + ": " + payment));
            })
            .build();

    private void acknowledge() {
        acknowledged++;
    }

    private static Message payment() {
        // begin
        Message message = Message.builder("bank")
                .id("4711")
                .type("payment.requested")
                .orderingKey("account 7")
                .headers(Headers.none().with("correlation-id", "c-1"))
                .payload("{\"account\": 7, \"amount\": 100}")
                .build();
        // end
        return message;
    }

    private void deliver(Message message) {
        // begin
        Outcome outcome = inbox.process(message);
        if (outcome.settled()) {
            acknowledge();
        }
        // end
    }

    @Test
    void messageIsProcessedOnceAndAcknowledgedAtEachDelivery() {
        deliver(payment());
        deliver(payment());

        assertThat(paid).containsExactly("c-1: {\"account\": 7, \"amount\": 100}");
        assertThat(acknowledged).isEqualTo(2);
    }

    @Test
    void consumerThatIsPausedThrows() {
        store.admin().pause("payments", new Author("a test", "to see what is thrown"));

        assertThatThrownBy(() -> inbox.process(payment())).isInstanceOf(ConsumerPausedException.class);
    }

    @Test
    void messageWithoutAPayloadIsATombstone() {
        Message message = Message.builder("bank").id("1").build();

        assertThat(message.isTombstone()).isTrue();
        assertThat(message.payload()).isEmpty();
    }

    @Test
    void theGuideShowsWhatIsRunHere() throws IOException {
        assertThat(TestingGuideExampleTest.find(Path.of("..", "docs", "messages.md"), EXAMPLE))
                .isEqualTo(TestingGuideExampleTest.find(HERE, BETWEEN_MARKS));
    }
}
