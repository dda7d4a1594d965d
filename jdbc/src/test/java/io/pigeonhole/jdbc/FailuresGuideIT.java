package io.pigeonhole.jdbc;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.handler.Delivery;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Invocation;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.retry.Reaction;
import io.pigeonhole.core.retry.RetryPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** The examples of {@code docs/failures.md}: what stands between the marks is compared with it. */
class FailuresGuideIT {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?)// end", Pattern.DOTALL);

    private final Workshop workshop = PostgresServers.embedded().schema();
    private final JdbcStore store = JdbcStore.create(workshop.dataSource());
    private final List<String> keys = new ArrayList<>();
    private final Mailer mailer = (mail, key) -> {
        keys.add(key);
        return "receipt " + keys.size();
    };

    record Mail(String id, String to) {}

    /** The other system. */
    private interface Mailer {
        String send(Mail mail, String idempotencyKey);
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    record Price(String article, long cents) {}

    private static final class TooManyRequests extends Exception {
        private static final long serialVersionUID = 1L;

        Duration retryAfter() {
            return Duration.ofMinutes(7);
        }
    }

    private static RetryPolicy policy() {
        return
        // begin
        RetryPolicy.exponential(Duration.ofSeconds(5), 3, Duration.ofMinutes(10))
                .maxAttempts(8)
                .on(IllegalArgumentException.class, Reaction.GIVE_UP)
                .when(e -> e instanceof SQLException sql && "23503".equals(sql.getSQLState()), Reaction.RETRY)
                .delayFrom(TooManyRequests.class, TooManyRequests::retryAfter)
        // end
        ;
    }

    @Test
    void policyDecidesByClassPredicateAndTheExceptionsOwnDelay() {
        assertThat(policy().reactionTo(new IllegalArgumentException())).hasValue(Reaction.GIVE_UP);
        assertThat(policy().reactionTo(new SQLException("no such account", "23503")))
                .hasValue(Reaction.RETRY);
        assertThat(policy().delayAfter(1, Duration.ZERO, new TooManyRequests(), new Random(1)))
                .hasValue(Duration.ofMinutes(7));
    }

    private InboxBuilder<JdbcContext> prices() {
        return
        // begin
        Inbox.builder("prices", store).handleBatch("price.changed", json(Price.class), deliveries -> {
            List<Price> prices = deliveries.stream().map(Delivery::payload).toList();
            Connection connection = deliveries.get(0).context().connection();
            try (var insert = connection.prepareStatement("INSERT INTO price SELECT * FROM unnest(?, ?)")) {
                insert.setArray(
                        1,
                        connection.createArrayOf(
                                "text", prices.stream().map(Price::article).toArray()));
                insert.setArray(
                        2,
                        connection.createArrayOf(
                                "bigint", prices.stream().map(Price::cents).toArray()));
                insert.executeUpdate();
            }
        })
        // end
        ;
    }

    private static InboxListener messageInMdc() {
        return
        // begin
        new InboxListener() {
            @Override
            public void aroundHandler(Invocation handler) throws Exception {
                MDC.put("message", String.valueOf(handler.messages().get(0).id()));
                try {
                    handler.proceed();
                } finally {
                    MDC.remove("message");
                }
            }
        }
        // end
        ;
    }

    @Test
    void handlerFindsItsMessageInTheContextOfTheLog() {
        List<String> found = new ArrayList<>();
        Inbox<JdbcContext> inbox = Inbox.builder("mdc", store)
                .listener(messageInMdc())
                .handle("here", PayloadDecoder.text(), (payload, context) -> found.add(MDC.get("message")))
                .build();

        inbox.process(
                Message.builder("requests").id("7").type("here").payload("x").build());

        assertThat(found).containsExactly("7");
        assertThat(MDC.get("message")).isNull();
    }

    private InboxBuilder<JdbcContext> mails() {
        return
        // begin
        Inbox.builder("mails", store).handleExternal("mail.requested", json(Mail.class), (mail, context) -> {
            String receipt = mailer.send(mail, context.idempotencyKey("send"));
            return database -> database.defer("INSERT INTO sent (mail, receipt) VALUES (?, ?)", mail.id(), receipt);
        })
        // end
        ;
    }

    @Test
    void mailIsSentAndItsReceiptIsKeptOnce() {
        workshop.execute("CREATE TABLE sent (mail text, receipt text)");
        Inbox<JdbcContext> inbox = mails().build();
        Message message = Message.builder("requests")
                .id("1")
                .type("mail.requested")
                .payload("{\"id\":\"welcome\",\"to\":\"ann\"}")
                .build();

        inbox.process(List.of(message, message));
        assertThat(inbox.work()).isEqualTo(1);
        inbox.process(message);
        assertThat(inbox.work()).isZero();

        assertThat(keys).hasSize(1);
        assertThat(workshop.askAll("SELECT mail || ': ' || receipt FROM sent")).containsExactly("welcome: receipt 1");
    }

    private static Message price(int number, long cents) {
        return Message.builder("shop")
                .id("price " + number)
                .type("price.changed")
                .payload("{\"article\":\"a" + number + "\",\"cents\":" + cents + "}")
                .build();
    }

    @Test
    void pricesAreWrittenTogetherAndTheOneThatFailsIsParkedAlone() {
        workshop.execute("CREATE TABLE price (article text, cents bigint CHECK (cents > 0))");
        Inbox<JdbcContext> inbox = prices().build();

        List<Outcome> outcomes = inbox.process(List.of(price(1, 5), price(2, 0), price(3, 7)));

        assertThat(outcomes.stream().map(Outcome::kind))
                .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.PARKED, Outcome.Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT article || ': ' || cents FROM price ORDER BY article"))
                .containsExactly("a1: 5", "a3: 7");
    }

    /** What the table of the guide says: of a handler that throws, a deferred write that fails, one that changes nothing, and retries. */
    @Test
    void listIsHandledOneByOneAfterAFailureAndAgainTogetherWhenRetriesAreDue() {
        workshop.execute("CREATE TABLE price (article text, cents bigint CHECK (cents > 0))");
        List<String> calls = new ArrayList<>();
        Inbox<JdbcContext> inbox = Inbox.builder("lists", store)
                .workPartitions(1)
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .handleBatch("price.changed", json(Price.class), deliveries -> {
                    calls.add(deliveries.stream()
                            .map(each -> each.payload().article() + "/"
                                    + each.context().attempt())
                            .collect(Collectors.joining(" ")));
                    for (Delivery<Price, JdbcContext> each : deliveries) {
                        if (each.payload().cents() < 0 && each.context().attempt() == 1) {
                            throw new IllegalStateException("a negative price");
                        }
                        if (each.payload().cents() == 404) {
                            each.context()
                                    .deferExpecting(
                                            1,
                                            "UPDATE price SET cents = 1 WHERE article = ?",
                                            each.payload().article());
                            continue;
                        }
                        each.context()
                                .defer(
                                        "INSERT INTO price VALUES (?, ?)",
                                        each.payload().article(),
                                        Math.abs(each.payload().cents()));
                    }
                })
                .build();

        inbox.process(List.of(price(1, 5), price(2, -1), price(3, -1)));
        assertThat(calls).containsExactly("a1/1 a2/1 a3/1", "a1/1", "a2/1", "a3/1");
        calls.clear();
        assertThat(inbox.work()).isEqualTo(2);
        assertThat(calls).containsExactly("a2/2 a3/2");
        calls.clear();
        inbox.process(List.of(price(4, 5), price(5, 0), price(6, 5)));
        assertThat(calls).containsExactly("a4/1 a5/1 a6/1", "a4/1", "a5/1", "a6/1");
        calls.clear();
        inbox.process(List.of(price(7, 5), price(8, 404), price(9, 5)));
        assertThat(calls).containsExactly("a7/1 a8/1 a9/1", "a7/1 a9/1");
    }

    @Test
    void policyBeginsAnewAfterARequeueAndAttemptsGoOn() {
        List<Integer> attempts = new ArrayList<>();
        List<Integer> askedFor = new ArrayList<>();
        Inbox<JdbcContext> inbox = Inbox.builder("requeued", store)
                .retry(RetryPolicy.custom(failed -> {
                            askedFor.add(failed);
                            return Duration.ofHours(1);
                        })
                        .maxAttempts(2))
                .handle("here", PayloadDecoder.text(), (payload, context) -> {
                    attempts.add(context.attempt());
                    throw new IllegalStateException("it fails");
                })
                .build();
        Admin admin = store.admin();
        Author by = new Author("a test", "to see what is counted");

        inbox.process(
                Message.builder("requests").id("1").type("here").payload("x").build());
        MessageKey key = admin.keyOf("requeued", "requests", MessageId.of("1"));
        admin.retryNow("requeued", key, by);
        inbox.work();
        admin.requeue("requeued", key, Requeue.atOnce(), by);
        assertThat(workshop.askAll("SELECT status || ' ' || attempts FROM inbox"))
                .containsExactly("received 2");
        inbox.work();

        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(askedFor).containsExactly(1, 1);
        assertThat(workshop.askAll("SELECT status || ' ' || attempts FROM inbox"))
                .containsExactly("parked 3");
    }

    @Test
    void guideShowsWhatIsTested() throws IOException {
        Path root = Path.of("..").toAbsolutePath().normalize();
        String guide = Files.readString(root.resolve("docs/failures.md"));
        String source = Files.readString(root.resolve("jdbc/src/test/java/io/pigeonhole/jdbc/FailuresGuideIT.java"));

        List<String> examples = all(EXAMPLE, guide);
        List<String> imports =
                examples.stream().filter(each -> each.startsWith("import ")).toList();
        assertThat(withoutSpace(examples.stream()
                        .filter(each -> !imports.contains(each))
                        .toList()))
                .isEqualTo(withoutSpace(all(BETWEEN_MARKS, source)));
        assertThat(source.lines())
                .containsAll(String.join("", imports)
                        .lines()
                        .filter(line -> !line.isEmpty())
                        .toList());
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(FailuresGuideIT::group).toList();
    }

    private static String group(MatchResult result) {
        return result.group(1);
    }

    private static List<String> withoutSpace(List<String> examples) {
        assertThat(examples).hasSize(4);
        return examples.stream().map(each -> each.replaceAll("\\s+", "")).toList();
    }
}
