package io.pigeonhole.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Forty days by the database's clock, in the time zone of Santiago de Chile, for this JVM as well as for the sessions: there
 * the clocks are put back at midnight in the night to April 4th, 2027. Month ends and forty midnights are in it, with
 * messages just before and behind each midnight in UTC.
 */
@Tag("full")
class VirtualTimeIT {
    private static final String HOSTILE = "America/Santiago";
    private static final Instant BEGIN = Instant.parse("2027-02-27T20:59:30Z");
    private static final int DAYS = 40;
    private static final Duration STEP = Duration.ofHours(3);
    private static final Duration LATEST_DUPLICATE = Duration.ofDays(6);
    private static final int STEPS_OF_A_DAY = 8;
    private static final int NEW_ONES = 4;
    private static final int AGAIN = 4;
    private static final int LATE_ONES = 2;
    private static final int DAY_OF_THE_LATECOMER = 10;

    private static final TimeZone OWN = TimeZone.getDefault();

    private final Random random = new Random(20_270_227);

    /** A message that was sent. */
    private record Sent(Message message, Instant at, boolean timeOrdered) {}

    @BeforeAll
    static void goToChile() {
        TimeZone.setDefault(TimeZone.getTimeZone(ZoneId.of(HOSTILE)));
    }

    @AfterAll
    static void comeBack() {
        TimeZone.setDefault(OWN);
    }

    @Test
    void fortyDaysOfTrafficLetNoDuplicatePassAndForgetWhatIsPastItsTime() {
        try (RetentionLab lab =
                new RetentionLab(Duration.between(SystemTime.clock().instant(), BEGIN))) {
            JdbcStore store = lab.store();
            assertThat(zoneOfSessions(lab)).isEqualTo(HOSTILE);
            Map<String, Integer> effects = new HashMap<>();
            Inbox<JdbcContext> first = inbox(store, "from the first day", effects);
            Inbox<JdbcContext> latecomer = null;
            List<Sent> sent = new ArrayList<>();
            List<Sent> backlog = new ArrayList<>();
            int late = 0;
            long mostRows = 0;
            Instant end = BEGIN.plus(Duration.ofDays(DAYS));
            for (int step = 1; lab.now().isBefore(end); step++) {
                lab.advance(STEP);
                RetentionLab.forget(store);
                List<Sent> news = new ArrayList<>();
                for (int i = 0; i < NEW_ONES; i++) {
                    news.add(send(lab.now(), i % 2 == 0));
                }
                sent.addAll(news);
                assertProcessed(first, news);
                if (latecomer != null) {
                    assertProcessed(latecomer, news);
                    backlog.addAll(news);
                }
                assertDuplicates(first, since(sent, lab.now().minus(LATEST_DUPLICATE)));
                if (latecomer == null && step * STEP.toHours() >= DAY_OF_THE_LATECOMER * 24L) {
                    latecomer = inbox(store, "from the tenth day", effects);
                    assertProcessed(latecomer, sent);
                    for (Sent message : sent) {
                        backlog.add(new Sent(message.message(), lab.now(), message.timeOrdered()));
                    }
                }
                if (latecomer != null) {
                    assertDuplicates(latecomer, since(backlog, lab.now().minus(LATEST_DUPLICATE)));
                }
                late += assertLate(first, before(sent, lab.now().minus(Duration.ofDays(8))));
                mostRows = step % STEPS_OF_A_DAY == 0 ? Math.max(mostRows, rows(lab)) : mostRows;
            }

            assertThat(late).isGreaterThan(DAYS);
            assertThat(effects.values()).containsOnly(1);
            assertThat(lab.tables("inbox_ledger")).isEqualTo(lab.days(7));
            assertThat(lab.workshop.ask("SELECT count(DISTINCT reason) FROM inbox_dead_letter WHERE reason = 'LATE'"))
                    .isEqualTo("1");
            int ofOneDay = NEW_ONES * STEPS_OF_A_DAY;
            assertThat(rows(lab)).as("rows of the ledger").isLessThan(2L * 10 * ofOneDay);
            assertThat(mostRows).isLessThan(ofOneDay * (9L * 2 + DAY_OF_THE_LATECOMER + 5));
            assertThat(lab.tables("inbox_history").get(0))
                    .isEqualTo(DateTimeFormatter.BASIC_ISO_DATE.format(
                            LocalDate.ofInstant(lab.now(), ZoneOffset.UTC).minusDays(30)));
        }
    }

    private static String zoneOfSessions(RetentionLab lab) {
        return lab.workshop.ask("SELECT current_setting('TimeZone')");
    }

    private static long rows(RetentionLab lab) {
        return Long.parseLong(lab.workshop.ask("SELECT count(*) FROM inbox_ledger"));
    }

    private static Inbox<JdbcContext> inbox(JdbcStore store, String consumer, Map<String, Integer> effects) {
        return Inbox.builder(consumer, store)
                .handle(
                        "tick",
                        PayloadDecoder.text(),
                        (id, context) -> effects.merge(consumer + " " + id, 1, Integer::sum))
                .build();
    }

    /** Its producer's clock is off by up to a minute. */
    private Sent send(Instant now, boolean timeOrdered) {
        Instant created = now.plusSeconds(random.nextInt(120) - 60L);
        String id = timeOrdered ? RetentionLab.timeOrdered(created) : "tick " + UUID.randomUUID();
        Message message =
                Message.builder("ticks").id(id).type("tick").payload(id).build();
        return new Sent(message, created, timeOrdered);
    }

    private static void assertProcessed(Inbox<JdbcContext> inbox, List<Sent> sent) {
        assertThat(process(inbox, sent)).as("%s of %s", sent, inbox.consumer()).containsOnly(new Outcome.Processed());
    }

    private static List<Outcome> process(Inbox<JdbcContext> inbox, List<Sent> sent) {
        return inbox.process(sent.stream().map(Sent::message).toList());
    }

    private void assertDuplicates(Inbox<JdbcContext> inbox, List<Sent> possible) {
        // The oldest of them, too: just within six days.
        List<Sent> again = pick(possible, 0, AGAIN);
        assertThat(process(inbox, again))
                .as("%s again at %s", again, inbox.consumer())
                .containsOnly(new Outcome.Duplicate());
    }

    /** How many were seen to be late. A dead letter that comes again is a duplicate of itself. */
    private int assertLate(Inbox<JdbcContext> inbox, List<Sent> possible) {
        List<Sent> ofATime = possible.stream().filter(Sent::timeOrdered).toList();
        if (ofATime.isEmpty()) {
            return 0;
        }
        List<Sent> again = pick(ofATime, ofATime.size() - 1, LATE_ONES);
        List<Outcome> outcomes = process(inbox, again);
        assertThat(outcomes)
                .as("%s long after", again)
                .allMatch(outcome -> isLate(outcome) || outcome.equals(new Outcome.Duplicate()));
        return (int) outcomes.stream().filter(VirtualTimeIT::isLate).count();
    }

    private static boolean isLate(Outcome outcome) {
        return outcome instanceof Outcome.Dead dead && dead.reason() == DeadReason.LATE;
    }

    /** A certain one, and others. */
    private List<Sent> pick(List<Sent> from, int first, int count) {
        List<Sent> picked = new ArrayList<>(List.of(from.get(first)));
        while (picked.size() < count) {
            picked.add(from.get(random.nextInt(from.size())));
        }
        return picked;
    }

    private static List<Sent> since(List<Sent> sent, Instant oldest) {
        return sent.stream().filter(each -> !each.at().isBefore(oldest)).toList();
    }

    private static List<Sent> before(List<Sent> sent, Instant newest) {
        return sent.stream().filter(each -> each.at().isBefore(newest)).toList();
    }
}
