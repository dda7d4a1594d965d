package io.pigeonhole.jdbc;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The example of {@code docs/failures.md}: what stands between the marks is compared with it. */
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

    @Test
    void guideShowsWhatIsTested() throws IOException {
        Path root = Path.of("..").toAbsolutePath().normalize();
        String guide = Files.readString(root.resolve("docs/failures.md"));
        String source = Files.readString(root.resolve("jdbc/src/test/java/io/pigeonhole/jdbc/FailuresGuideIT.java"));

        assertThat(withoutSpace(all(EXAMPLE, guide))).isEqualTo(withoutSpace(all(BETWEEN_MARKS, source)));
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(FailuresGuideIT::group).toList();
    }

    private static String group(MatchResult result) {
        return result.group(1);
    }

    private static List<String> withoutSpace(List<String> examples) {
        assertThat(examples).hasSize(1);
        return examples.stream().map(each -> each.replaceAll("\\s+", "")).toList();
    }
}
