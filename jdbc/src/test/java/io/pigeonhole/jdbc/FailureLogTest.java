package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is logged of messages that fail. Here, because the module of the engine has no log to read. */
class FailureLogTest {
    private static final String SECRET = "4000 0000 0000 0002";

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.pigeonhole.core.inbox.FailureLog");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .retry(RetryPolicy.fixed(Duration.ZERO).jitter(0).maxAttempts(2))
            .handle("payment", PayloadDecoder.text(), (payload, context) -> {
                throw new IllegalStateException("the bank\nis away");
            })
            .handle("wrapped", PayloadDecoder.text(), (payload, context) -> {
                throw new IllegalStateException("not booked", new SQLException("duplicate key"));
            })
            .handle("final", PayloadDecoder.text(), (payload, context) -> {
                throw new PermanentFailure("no such account");
            })
            .handle("good", PayloadDecoder.text(), (payload, context) -> {})
            .handleExternal("mail", PayloadDecoder.text(), (payload, context) -> {
                if (!payload.isEmpty()) {
                    throw new IllegalStateException("no mail server");
                }
                return Completion.nothing();
            })
            .build();

    @BeforeEach
    void read() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void readNoMore() {
        logger.detachAppender(lines);
    }

    private static Message message(@Nullable String id, String type) {
        Message.Builder builder =
                Message.builder("queue").type(type).payload(SECRET).origin("queue 7");
        return (id == null ? builder : builder.id(id)).build();
    }

    private List<String> warnings() {
        assertThat(lines.list).allSatisfy(line -> assertThat(line.getLevel()).isEqualTo(Level.WARN));
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void lineAndOutcomeOfAMessageNameWhatItsExceptionWasCausedBy() {
        Outcome outcome = inbox.process(message("1", "wrapped"));

        String error = "java.lang.IllegalStateException: not booked; caused by java.sql.SQLException: duplicate key";
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Parked.class,
                        parked -> assertThat(parked.error()).isEqualTo(error));
        assertThat(warnings()).singleElement(STRING).endsWith(error);
    }

    @Test
    void messageThatFailedIsALineWithWhatItIsAndWhenItIsTriedAgain() {
        inbox.process(message("1", "payment"));

        assertThat(warnings())
                .containsExactly(
                        "consumer 'payments': message 1 of type payment from queue at queue 7 waits in work and"
                                + " is tried again in 0 s, after 1 failed attempt: java.lang.IllegalStateException: the bank is away");
    }

    @Test
    void messageThatWaitsWithoutAnAttemptSaysSo() {
        Inbox.builder("payments", store)
                .handle("new", PayloadDecoder.text(), (payload, context) -> {})
                .build()
                .receive(message("1", "new"));
        inbox.work();

        assertThat(warnings())
                .anySatisfy(line -> assertThat(line)
                        .contains("waits in work and is tried again in", ", without an attempt that counts: ")
                        .doesNotContain("attempt 0"));
    }

    @Test
    void messageThatMeetsAProgramWithoutItsTypeIsNotSaidToHaveFailedThere() {
        inbox.process(message("1", "payment"));
        Inbox<InMemoryContext> another = Inbox.builder("payments", store)
                .handle("new", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        another.work();

        assertThat(warnings()).hasSize(2);
        assertThat(warnings().get(1))
                .contains("waits in work and is tried again in", ", after 1 failed attempt: ", "no handler for type");
    }

    @Test
    void workerThatGivesUpSaysSo() {
        inbox.process(message("1", "payment"));
        inbox.work();

        assertThat(warnings()).hasSize(2);
        assertThat(warnings().get(1)).contains("message 1 ", "is a dead letter, RETRIES_EXHAUSTED", "the bank is away");
    }

    @Test
    void externalHandlersAttemptsAreLinesToo() {
        inbox.process(message("1", "mail"));
        assertThat(warnings()).isEmpty();
        inbox.work();

        assertThat(warnings()).hasSize(2);
        assertThat(warnings().get(0)).contains("after 1 failed attempt", "no mail server");
        assertThat(warnings().get(1)).contains("RETRIES_EXHAUSTED");
    }

    @Test
    void everyReasonOfADeadLetterIsALineAndNoneHasThePayload() {
        inbox.process(List.of(
                message(null, "payment"),
                message("1", "final"),
                message("2", "unknown"),
                message("3", "good"),
                message("3", "good")));

        assertThat(warnings()).hasSize(3).noneMatch(line -> line.contains(SECRET));
        assertThat(String.join("\n", warnings()))
                .contains("NO_ID", "PERMANENT_FAILURE", "UNKNOWN_TYPE", "message 1 of type final");
    }

    @Test
    void idWithLineBreaksLooksLikeNoOtherLine() {
        inbox.process(message("1\nERROR all is lost\u2028\u0007", "final"));

        assertThat(warnings())
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .contains("message 1 ERROR all is lost ")
                        .doesNotContainPattern("[\\n\\r\\u2028\\u0007]"));
    }

    @Test
    void floodOfFailuresIsTenLines() {
        for (int i = 0; i < 50; i++) {
            inbox.process(message("" + i, "final"));
        }

        assertThat(warnings()).hasSize(10);
    }
}
