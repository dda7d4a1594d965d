package io.pigeonhole.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.handler.IdempotencyKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.time.StoredTime;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user hands in that no database keeps: halves of surrogate pairs, and instants of extreme years. */
@Tag("D12")
class HalfSurrogateTest {
    private static final String HALF = "name \uD83D";
    private static final MessageKey KEY = MessageKey.of(UUID.randomUUID());

    private static void isRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("half of a surrogate pair at character 6");
    }

    @Test
    void namesAndIdentitiesAreRefusedBecauseTwoWouldBecomeOne() {
        isRefused(() -> new ConsumerRegistration(HALF, IdForm.TIME_ORDERED));
        isRefused(() -> Message.builder(HALF));
        isRefused(() -> MessageId.of(HALF));
        isRefused(() -> new LogPartition(HALF, 0));
        isRefused(() -> new ReplayPlan(HALF, "notes", null, null, null, null, null, false));
        isRefused(() -> IdempotencyKey.of("notes", KEY, HALF));
        isRefused(() -> IdempotencyKey.of(HALF, KEY, "step"));
        isRefused(() -> new KeyScheme(0, false).keyOf(HALF, MessageId.of("1")));
    }

    @Test
    void valuesAreRefusedBecauseTheyWouldNotBeWhatWasSent() {
        isRefused(() -> Message.builder("queue").payload(HALF));
        isRefused(() -> Message.builder("queue").orderingKey(HALF));
        isRefused(() -> Headers.none().with("header", HALF));
    }

    @Test
    void wholePairsAreKept() {
        String pair = "name \uD83D\uDE00";
        assertThat(new ConsumerRegistration(pair, IdForm.TIME_ORDERED).name()).isEqualTo(pair);
        assertThat(Message.builder("queue").payload(pair).build().payload())
                .isEqualTo(pair.getBytes(StandardCharsets.UTF_8));
        assertThat(Utf8.replacing(pair)).isEqualTo(pair.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void textsForPeopleGetAReplacementAndNoQuestionMark() {
        Author author = new Author(HALF, "why \uDE00 \0");
        assertThat(author.who()).isEqualTo("name \uFFFD");
        assertThat(author.reason()).isEqualTo("why \uFFFD \uFFFD");
        assertThat(Utf8.replacing(HALF)).isEqualTo("name \uFFFD".getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "+1000000000-12-31T23:59:59.999999999Z_1",
                "-0001-01-01T00:00:00Z_1",
                "0999-12-31T23:59:59Z_1",
                "+10000-01-01T00:00:00Z_1"
            })
    void cursorOfAnExtremeYearIsNone(String text) {
        assertThatThrownBy(() -> Cursor.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no cursor");
        assertThatThrownBy(() -> PageRequest.first(1).next(new Cursor(Instant.MAX, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("from 1000-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z");
    }

    @Test
    void boundsOfExtremeYearsMeanTheSameAsTheNearestThatAreKept() {
        DeadLetterFilter letters = DeadLetterFilter.of("notes").withDied(Instant.MIN, Instant.MAX);
        assertThat(letters.since()).isEqualTo(StoredTime.FIRST);
        assertThat(letters.until()).isEqualTo(StoredTime.LAST);
        WorkFilter work = WorkFilter.of("notes").withReceived(Instant.MIN, Instant.MAX);
        assertThat(work.since()).isEqualTo(StoredTime.FIRST);
        assertThat(work.until()).isEqualTo(StoredTime.LAST);
        ReplayPlan plan = new ReplayPlan("again", "notes", Instant.MIN, Instant.MAX, null, null, null, false);
        assertThat(plan.since()).isEqualTo(StoredTime.FIRST);
        assertThat(plan.until()).isEqualTo(StoredTime.LAST);
        assertThat(new Selection(letters, Instant.MAX, 1).cutoff()).isEqualTo(StoredTime.LAST);
    }
}
