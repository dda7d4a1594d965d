package io.pigeonhole.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.BlockedKey;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.admin.Page;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeueReport;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/admin.md}: what stands between the marks is compared with it. */
class AdminGuideExampleTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?)// end", Pattern.DOTALL);

    private final InMemoryStore store = InMemoryStore.create();
    private final List<String> paid = new ArrayList<>();
    private boolean bankIsOpen;

    private Inbox<InMemoryContext> inbox() {
        return Inbox.builder("payments", store)
                .order(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                .handle("payment", PayloadDecoder.text(), (payment, context) -> {
                    if (!bankIsOpen && payment.startsWith("never")) {
                        throw new PermanentFailure("account closed");
                    }
                    if (!bankIsOpen) {
                        throw new IllegalStateException("the bank is closed");
                    }
                    context.defer(() -> paid.add(payment));
                })
                .build();
    }

    private static Message payment(String id, String account, String payload) {
        return Message.builder("orders")
                .id(id)
                .type("payment")
                .orderingKey(account)
                .payload(payload)
                .build();
    }

    @Test
    void peopleSeeWhatIsThereAndDecide() {
        Inbox<InMemoryContext> inbox = inbox();
        inbox.process(List.of(
                payment("1", "ann", "10 euros"),
                payment("2", "ann", "20 euros"),
                payment("3", "bob", "never 30 euros"),
                payment("4", "bob", "40 euros"),
                payment("5", "eve", "never 50 euros")));

        // begin
        Admin admin = store.admin();
        Author by = new Author("ann", "ticket 4711: the bank is back");
        // end

        // begin
        admin.consumers()
                .forEach(summary -> System.out.println(summary.consumer().name() + ": " + summary.dead() + " dead"));
        // end
        assertThat(admin.consumers().get(0).dead()).isEqualTo(2);
        assertThat(admin.consumers().get(0).blocking()).isEqualTo(2);

        // begin
        WorkFilter parked = WorkFilter.of("payments").withStatus(MessageStatus.PARKED);
        Page<WorkEntry> waiting = admin.work(parked, PageRequest.first(100));

        DeadLetterFilter closed = DeadLetterFilter.of("payments")
                .withReason(DeadReason.PERMANENT_FAILURE)
                .withErrorContaining("account closed");
        PageRequest request = PageRequest.first(100);
        Page<DeadLetterEntry> letters = admin.deadLetters(closed, request);
        Cursor end = letters.next();
        if (end != null) {
            letters = admin.deadLetters(closed, request.next(end));
        }
        // end
        assertThat(waiting.entries()).hasSize(1);
        assertThat(letters.entries()).hasSize(2);

        // begin
        MessageKey key = admin.keyOf("payments", "orders", MessageId.of("1"));
        admin.show("payments", key)
                .ifPresent(details -> details.attempts()
                        .forEach(attempt -> System.out.println(
                                attempt.startedAt() + " " + attempt.attempt().message())));
        // end
        assertThat(admin.show("payments", key)).isPresent();

        // begin
        List<BlockedKey> blocked = admin.blockedKeys("payments", 100);
        OrderingKey account = OrderingKey.of("eve");
        Answer unblocked = admin.unblock("payments", account, by);
        // end
        assertThat(blocked).hasSize(3);
        assertThat(unblocked.kind()).isEqualTo(Answer.Kind.DONE);

        bankIsOpen = true;

        // begin
        Answer answer = admin.retryNow("payments", key, by);
        switch (answer.kind()) {
            case DONE -> System.out.println("a worker takes it next");
            case BUSY -> System.out.println("ask again");
            default -> System.out.println(answer.detail());
        }
        // end
        assertThat(answer.hasChanged()).isTrue();

        // begin
        admin.requeue("payments", admin.keyOf("payments", "orders", MessageId.of("3")), Requeue.atOnce(), by);
        // end

        // begin
        Selection selection = admin.select(closed);
        System.out.println(selection.count() + " letters that died until " + selection.cutoff());
        RequeueReport tried = admin.requeue(selection, Requeue.atOnce().atMost(10), by);
        RequeueReport rest;
        do {
            rest = admin.requeue(selection, Requeue.perSecond(50), by);
        } while (rest.stopReason() != null);
        // end
        assertThat(tried.requeued()).isEqualTo(1);
        assertThat(rest.requeued()).isZero();

        while (inbox.work() > 0) {
            assertThat(paid).isNotNull();
        }
        assertThat(paid)
                .containsExactlyInAnyOrder("10 euros", "20 euros", "never 30 euros", "40 euros", "never 50 euros");
        assertThat(paid.indexOf("10 euros")).isLessThan(paid.indexOf("20 euros"));
        assertThat(paid.indexOf("never 30 euros")).isLessThan(paid.indexOf("40 euros"));

        // begin
        admin.releaseLease("payments", key, by);
        admin.discard("payments", key, by);
        // end

        // begin
        admin.pause("payments", by);
        admin.resume("payments", by);
        Page<AuditEntry> changes = admin.audit("payments", PageRequest.first(100));
        // end
        assertThat(changes.entries()).hasSize(6);

        admin.pause("payments", by);
        // begin
        admin.deduplicateBy("payments", Deduplication.HYBRID, by);
        admin.forgetWatermarks("payments", "payments-topic", by);
        // end
        assertThat(admin.deduplicateBy("payments", Deduplication.HYBRID, by).kind())
                .as("a second time")
                .isEqualTo(Answer.Kind.UNCHANGED);
    }

    @Test
    void theGuideShowsWhatIsRunHere() throws IOException {
        Path here = Path.of("src/test/java/io/pigeonhole/testkit/memory/AdminGuideExampleTest.java");
        List<String> run = find(here, BETWEEN_MARKS);
        assertThat(run).isNotEmpty();
        assertThat(find(Path.of("..", "docs", "admin.md"), EXAMPLE)).isEqualTo(run);
    }

    private static List<String> find(Path file, Pattern pattern) throws IOException {
        List<String> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(Files.readString(file));
        while (matcher.find()) {
            found.add(matcher.group(1).replaceAll("\\s+", ""));
        }
        return found;
    }
}
