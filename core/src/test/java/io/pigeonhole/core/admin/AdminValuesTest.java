package io.pigeonhole.core.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminValuesTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00.123456Z");

    @Test
    void cursorIsReadFromItsText() {
        Cursor cursor = new Cursor(NOON, 42);
        assertThat(cursor).hasToString("2026-03-01T12:00:00.123456Z_42");
        assertThat(Cursor.parse(cursor.toString())).isEqualTo(cursor);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "_",
                "42",
                "2026-03-01T12:00:00Z",
                "2026-03-01T12:00:00Z_",
                "x_42",
                "2026-03-01T12:00:00Z_4 2"
            })
    void textThatIsNoCursorIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cursor.parse(text))
                .withMessageContaining("cursor");
    }

    @Test
    void nameThatOnlyANewerVersionKnowsIsUnknown() {
        assertThat(DeadReason.values()).allMatch(reason -> DeadReason.of(reason.name()) == reason);
        assertThat(AdminAction.values()).allMatch(action -> AdminAction.of(action.name()) == action);
        assertThat(DeadReason.of("EXPIRED")).isEqualTo(DeadReason.UNKNOWN);
        assertThat(AdminAction.of("MOVE")).isEqualTo(AdminAction.UNKNOWN);
    }

    @Test
    void unknownReasonIsNeitherSelectedNorStored() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeadLetterFilter.of("payments").withReason(DeadReason.UNKNOWN))
                .withMessageContaining("every reason that this version does not know");
        Message message = Message.builder("notes").id("1").build();
        MessageKey key = new KeyScheme(0, false).keyOf("notes", MessageId.of("1"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DeadLetter(key, message, DeadReason.UNKNOWN, "", true, null));
    }

    @Test
    void pageHasANextOneWhereThereIsMore() {
        Page<Integer> page = Page.of(List.of(1, 2, 3), 2, number -> new Cursor(NOON, number));
        assertThat(page).isEqualTo(new Page<>(List.of(1, 2), new Cursor(NOON, 2)));
        assertThat(Page.of(List.of(1, 2), 2, number -> new Cursor(NOON, number)).next())
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, PageRequest.MOST + 1})
    void pagesAreBounded(int limit) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PageRequest.first(limit))
                .withMessageContaining(String.valueOf(limit));
    }

    @Test
    void workIsNeverDeadOrProcessed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WorkFilter.of("payments").withStatus(MessageStatus.DEAD));
    }

    @Test
    void textThatIsLookedForIsBounded() {
        String tooLong = "x".repeat(WorkFilter.LONGEST_TEXT + 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WorkFilter.of("payments").withErrorContaining(tooLong));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeadLetterFilter.of("payments").withErrorContaining(tooLong));
    }

    @Test
    void authorIsBoundedAndNeverBlank() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Author("x".repeat(Author.LONGEST_WHO + 1), "why"))
                .withMessageContaining("who");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Author("ann", "x".repeat(Author.LONGEST_REASON + 1)))
                .withMessageContaining("reason");
        assertThatIllegalArgumentException().isThrownBy(() -> new Author("ann", "\t "));
    }

    @Test
    void rateGivesTheIntervalBetweenMessages() {
        assertThat(Requeue.perSecond(50).interval()).isEqualTo(Duration.ofMillis(20));
        assertThat(Requeue.atOnce().interval()).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> Requeue.perSecond(0));
        assertThatIllegalArgumentException().isThrownBy(() -> Requeue.perSecond(1_000_001));
        assertThatIllegalArgumentException().isThrownBy(() -> Requeue.atOnce().atMost(0));
    }
}
