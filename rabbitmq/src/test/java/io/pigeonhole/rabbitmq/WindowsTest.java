package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("E1")
class WindowsTest {
    private final Windows windows = new Windows();

    private void deliver(Window window, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(windows.delivered(window.tag())).isSameAs(window);
        }
    }

    private static void settle(Window window, int count) {
        for (int i = 0; i < count; i++) {
            window.settled();
        }
    }

    @Test
    void consumerIsFullWhileAllThatItMayHaveIsUnacknowledged() {
        Window only = windows.add(2);
        deliver(only, 1);
        assertThat(windows.isNewestFull()).isFalse();
        deliver(only, 1);
        assertThat(windows.isNewestFull()).isTrue();
        settle(only, 1);
        assertThat(windows.isNewestFullAndSettled()).isFalse();
        settle(only, 1);
        assertThat(windows.isNewestFullAndSettled()).isTrue();
        only.acknowledged();
        assertThat(windows.isNewestFull()).isFalse();
    }

    @Test
    void olderConsumerThatIsNotFullStays() {
        Window older = windows.add(2);
        Window newer = windows.add(8);
        deliver(newer, 3);
        deliver(older, 1);
        settle(older, 1);
        assertThat(windows.isOlderReplaceable()).isFalse();
    }

    @Test
    void olderConsumerIsReplacedWithMessagesInWorkOnlyWhereTheNewerGotSomeBesideIt() {
        Window older = windows.add(2);
        Window newer = windows.add(8);
        deliver(older, 2);
        assertThat(windows.isOlderReplaceable()).isFalse();
        deliver(newer, 1);
        assertThat(windows.isOlderReplaceable()).isTrue();
    }

    @Test
    void consumerThatMayBeTheSingleActiveOneIsReplacedWhenAllOfItsMessagesAreSettled() {
        Window older = windows.add(2);
        windows.add(8);
        deliver(older, 2);
        settle(older, 1);
        assertThat(windows.isOlderReplaceable()).isFalse();
        settle(older, 1);
        assertThat(windows.isOlderReplaceable()).isTrue();
    }

    @Test
    void whatACancelledConsumerHasNotSettledIsLeftOverUntilItIs() {
        Window older = windows.add(2);
        Window newer = windows.add(8);
        deliver(older, 2);
        deliver(newer, 1);
        assertThat(windows.limit()).isEqualTo(10);
        assertThat(windows.removeOlder()).containsExactly(older.tag());
        assertThat(windows.limit()).isEqualTo(8);
        assertThat(windows.hasOlder()).isFalse();
        assertThat(windows.leftOver()).isEqualTo(2);
        settle(older, 2);
        assertThat(windows.leftOver()).isZero();
        assertThat(windows.delivered()).isEqualTo(3);
    }

    @Test
    void whatComesToACancelledConsumerCounts() {
        Window older = windows.add(1);
        windows.add(8);
        deliver(older, 1);
        settle(older, 1);
        windows.removeOlder();
        assertThat(windows.leftOver()).isZero();
        windows.delivered(older.tag());
        assertThat(windows.leftOver()).isEqualTo(1);
    }

    /** A quorum queue gives back what a lost connection had consumer by consumer, in the order of their tags. */
    @Test
    void tagsAreInTheOrderInWhichConsumersBegin() {
        List<String> tags =
                IntStream.range(0, 120).mapToObj(i -> windows.add(1).tag()).toList();
        assertThat(tags).isSorted();
    }

    @Test
    void newerConsumerThatGetsNothingIsTakenBack() {
        Window older = windows.add(2);
        Window newer = windows.add(8);
        deliver(older, 2);
        assertThat(windows.removeNewest()).isEqualTo(newer.tag());
        assertThat(windows.hasOlder()).isFalse();
        assertThat(windows.limit()).isEqualTo(2);
        assertThat(windows.isShared()).isFalse();
        assertThat(windows.isNewestLeaving()).isTrue();
        windows.left(older.tag());
        assertThat(windows.isNewestLeaving()).isTrue();
        windows.left(newer.tag());
        assertThat(windows.isNewestLeaving()).isFalse();
        assertThat(windows.hasYoungerLeftOver()).isFalse();
    }

    @Test
    void whatStillComesToAConsumerThatIsTakenBackIsYoungerThanWhatTheOtherHas() {
        Window older = windows.add(2);
        windows.add(8);
        deliver(older, 2);
        Window late = windows.delivered(windows.removeNewest());
        windows.left(late.tag());
        assertThat(windows.isShared()).isTrue();
        assertThat(windows.hasYoungerLeftOver()).isTrue();
        windows.add(8);
        assertThat(windows.isOlderReplaceable()).isTrue();
        assertThat(windows.removeOlder()).containsExactly(older.tag());
        assertThat(windows.hasYoungerLeftOver()).isFalse();
        assertThat(windows.leftOver()).isEqualTo(3);
    }

    @Test
    void whoeverGotMessagesBesideAnOlderConsumerOnceNeedNotGetAnyTheNextTime() {
        Window first = windows.add(1);
        Window second = windows.add(2);
        deliver(first, 1);
        deliver(second, 2);
        windows.removeOlder();
        windows.add(8);
        assertThat(windows.isOlderReplaceable()).isTrue();
    }
}
