package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.delivery.Settlement;
import io.pigeonhole.core.inbox.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UnacknowledgedTest {
    private static final Outcome PROCESSED = new Outcome.Processed();

    private final AtomicInteger wakeUps = new AtomicInteger();
    private final Unacknowledged unacknowledged = new Unacknowledged(wakeUps::incrementAndGet);
    private final List<Settlement> settlements = new ArrayList<>();
    private final List<String> sent = new ArrayList<>();

    private void deliver(int count) {
        for (int i = 0; i < count; i++) {
            settlements.add(unacknowledged.add(settlements.size() + 1, new Window("consumer", 1)));
        }
    }

    private void settle(int... deliveryTags) {
        for (int tag : deliveryTags) {
            settlements.get(tag - 1).settled(PROCESSED);
        }
    }

    private List<String> acknowledged() throws IOException {
        sent.clear();
        unacknowledged.acknowledge((tag, multiple) -> sent.add(multiple ? "to " + tag : "" + tag));
        return sent;
    }

    @Test
    void nothingIsAcknowledgedBeforeItIsSettled() throws IOException {
        deliver(3);
        assertThat(acknowledged()).isEmpty();
        assertThat(wakeUps).hasValue(0);
    }

    @Test
    void whatIsSettledFromTheOldestOnIsAcknowledgedTogether() throws IOException {
        deliver(5);
        settle(2, 1, 3);
        assertThat(acknowledged()).containsExactly("to 3");
        settle(4);
        assertThat(acknowledged()).containsExactly("to 4");
        assertThat(acknowledged()).isEmpty();
        assertThat(wakeUps).hasValue(4);
    }

    @Test
    void consumerOfADeliveryLearnsWhenItIsSettledAndWhenItIsAcknowledged() throws IOException {
        Window window = new Window("consumer", 1);
        window.delivered();
        unacknowledged.add(1, window).settled(PROCESSED);
        assertThat(window.unsettled()).isEqualTo(1);
        unacknowledged.collect();
        assertThat(window.unsettled()).isZero();
        assertThat(window.isFull()).isTrue();
        unacknowledged.acknowledge((tag, multiple) -> {});
        assertThat(window.isFull()).isFalse();
    }

    @Test
    void whatIsSettledBehindAnUnfinishedOneIsAcknowledgedAlone() throws IOException {
        deliver(6);
        settle(1, 3, 5);
        assertThat(acknowledged()).containsExactly("to 1", "3", "5");
    }

    @Test
    void tagThatWasAcknowledgedAloneIsNotAcknowledgedAgainAsTheLastOfMany() throws IOException {
        deliver(6);
        settle(3);
        assertThat(acknowledged()).containsExactly("3");
        settle(1, 2);
        assertThat(acknowledged()).containsExactly("to 2");
        settle(5, 6);
        assertThat(acknowledged()).containsExactly("5", "6");
        settle(4);
        assertThat(acknowledged()).containsExactly("to 4");
    }

    @Test
    void whatIsKeptBehindAnUnfinishedOneIsBoundedByWhatIsUnfinished() throws IOException {
        deliver(3_000);
        for (int tag = 3_000; tag > 1; tag--) {
            settle(tag);
            assertThat(acknowledged()).containsExactly("" + tag);
        }
        assertThat(unacknowledged.size()).isLessThanOrEqualTo(1_001);
        deliver(2);
        settle(3_001);
        assertThat(acknowledged()).containsExactly("3001");
        settle(1, 3_002);
        assertThat(acknowledged()).containsExactly("to 3002");
        assertThat(unacknowledged.size()).isZero();
        assertThat(unacknowledged.acknowledged()).isEqualTo(3_002);
    }

    @Test
    void whatIsUnfinishedIsAcknowledgedOnceInWhateverOrderOthersWereForgotten() throws IOException {
        Random random = new Random(5);
        deliver(10_000);
        TreeSet<Long> atTheBroker = new TreeSet<>();
        List<Long> open = new ArrayList<>();
        for (long tag = 1; tag <= 10_000; tag++) {
            atTheBroker.add(tag);
            open.add(tag);
        }
        Collections.shuffle(open, random);
        for (long tag : open) {
            settle((int) tag);
            if (random.nextInt(5) == 0) {
                unacknowledged.acknowledge((acknowledged, multiple) -> remove(atTheBroker, acknowledged, multiple));
            }
        }
        unacknowledged.acknowledge((acknowledged, multiple) -> remove(atTheBroker, acknowledged, multiple));
        assertThat(atTheBroker).isEmpty();
        assertThat(unacknowledged.size()).isZero();
    }

    /** The broker's side: a tag that is not unacknowledged closes the channel. */
    private static void remove(NavigableSet<Long> atTheBroker, long tag, boolean multiple) {
        assertThat(atTheBroker).contains(tag);
        if (multiple) {
            atTheBroker.headSet(tag, true).clear();
        } else {
            atTheBroker.remove(tag);
        }
    }

    @Test
    void inWhateverOrderTheyAreSettledEachIsAcknowledgedOnce() throws IOException {
        Random random = new Random(4);
        for (int round = 0; round < 200; round++) {
            TreeSet<Long> atTheBroker = new TreeSet<>();
            Unacknowledged one = new Unacknowledged(() -> {});
            List<Settlement> open = new ArrayList<>();
            long next = 1;
            while (next <= 300 || !atTheBroker.isEmpty()) {
                for (int i = random.nextInt(10); i > 0 && next <= 300; i--) {
                    atTheBroker.add(next);
                    open.add(one.add(next++, new Window("consumer", 1)));
                }
                Collections.shuffle(open, random);
                for (int i = random.nextInt(10); i > 0 && !open.isEmpty(); i--) {
                    open.remove(open.size() - 1).settled(PROCESSED);
                }
                one.acknowledge((tag, multiple) -> remove(atTheBroker, tag, multiple));
                assertThat(atTheBroker).hasSameSizeAs(open);
            }
        }
    }
}
