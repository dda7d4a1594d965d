package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.store.Backlog.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A4")
class RefusedWorkTest {
    private static final WorkSlot FIRST = new WorkSlot((short) 1, Kind.ORDINARY, 1);
    private static final WorkSlot SECOND = new WorkSlot((short) 1, Kind.ORDINARY, 2);
    private static final Set<WorkSlot> OF_ONE = Set.of(FIRST, SECOND);
    private static final WorkSlot THIRD = new WorkSlot((short) 2, Kind.BY_LEASE, 1);
    private static final WorkSlot FOURTH = new WorkSlot((short) 3, Kind.ORDINARY, 1);
    private static final Set<WorkSlot> ALL = Set.of(FIRST, SECOND, THIRD, FOURTH);

    private long now;
    private final RefusedWork work = new RefusedWork(() -> now);

    private void advance(Duration by) {
        now += by.toNanos();
    }

    private Duration nextIn() {
        Duration next = work.nextIn();
        return next == null ? Duration.ofDays(1) : next;
    }

    private static List<WorkSlot> partitions(int consumer, int partitions) {
        return IntStream.range(0, partitions)
                .mapToObj(partition -> new WorkSlot((short) consumer, Kind.ORDINARY, partition))
                .toList();
    }

    private static List<WorkSlot> both(Collection<WorkSlot> some, Collection<WorkSlot> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /** What may begin once the pause is over. */
    private WorkSlot trial(Collection<WorkSlot> due) {
        advance(nextIn());
        work.choose(due, slot -> false);
        List<WorkSlot> begin = due.stream().filter(work::mayBegin).toList();
        assertThat(begin).hasSize(1);
        return begin.get(0);
    }

    @Test
    void allBeginsWhileWorkCommits() {
        work.choose(ALL, slot -> false);

        assertThat(ALL).allMatch(work::mayBegin);
        assertThat(work.isAll()).isFalse();
        assertThat(work.nextIn()).isNull();
        assertThat(work.commit(FIRST)).isFalse();
    }

    @Test
    void afterARefusalOnePieceOfWorkIsTriedAfterPausesThatGrowToTwoSeconds() {
        work.refuse(FIRST);
        assertThat(work.isAll()).isTrue();
        work.choose(OF_ONE, slot -> false);
        assertThat(work.isAll()).isTrue();
        assertThat(OF_ONE).noneMatch(work::mayBegin);

        List<Long> pauses = new ArrayList<>();
        Set<WorkSlot> tried = new HashSet<>();
        for (int i = 0; i < 60; i++) {
            pauses.add(nextIn().toMillis());
            WorkSlot trial = trial(OF_ONE);
            tried.add(trial);
            work.refuse(trial);
            assertThat(OF_ONE).noneMatch(work::mayBegin);
        }

        assertThat(pauses)
                .startsWith(100L, 200L, 400L, 800L, 1600L, 2000L, 2000L)
                .allMatch(pause -> pause <= 2000);
        assertThat(tried).isEqualTo(OF_ONE);
    }

    @Test
    void whatIsTriedTakesTurns() {
        List<WorkSlot> partitions = partitions(1, 16);
        work.refuse(partitions.get(0));

        Set<WorkSlot> tried = new HashSet<>();
        for (int i = 0; i < partitions.size(); i++) {
            WorkSlot trial = trial(partitions);
            tried.add(trial);
            work.refuse(trial);
        }
        assertThat(tried).hasSameSizeAs(partitions);
    }

    @Test
    void oneRefusedConsumerHoldsUpNoOther() {
        List<WorkSlot> partitions = partitions(1, 16);
        List<WorkSlot> due = both(partitions, List.of(THIRD));
        work.refuse(partitions.get(0));
        for (int i = 0; i < 20; i++) {
            assertThat(work.mayBegin(THIRD)).isTrue();
            advance(nextIn());
            work.choose(due, slot -> false);
            assertThat(work.isAll()).isFalse();
            List<WorkSlot> trials = partitions.stream().filter(work::mayBegin).toList();
            assertThat(trials).hasSize(1);
            work.refuse(trials.get(0));
        }
    }

    @Test
    void twoConsumersRefusedWithNoCommitInBetweenHoldUpAll() {
        work.choose(ALL, slot -> false);
        work.refuse(FIRST);
        work.commit(FOURTH);
        work.refuse(THIRD);
        assertThat(work.isAll()).isFalse();
        assertThat(work.mayBegin(FOURTH)).isTrue();

        work.refuse(SECOND);
        assertThat(work.isAll()).isTrue();
        assertThat(ALL).noneMatch(work::mayBegin);
    }

    @Test
    void ofWhomNothingWasRefusedIsTriedFirstAndThenConsumersTakeTurns() {
        List<WorkSlot> partitions = partitions(1, 16);
        List<WorkSlot> due = both(partitions, List.of(THIRD, FOURTH));
        work.refuse(THIRD);
        work.refuse(partitions.get(0));
        List<Short> tried = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            WorkSlot trial = trial(due);
            tried.add(trial.consumer());
            work.refuse(trial);
        }
        assertThat(tried).containsExactly(toShorts(3, 2, 1, 3, 2, 1));

        // Whose work was committed is tried first again.
        work.commit(FOURTH);
        work.refuse(partitions.get(1));
        work.refuse(THIRD);
        assertThat(trial(due)).isEqualTo(FOURTH);
    }

    private static Short[] toShorts(int... numbers) {
        return IntStream.of(numbers).mapToObj(number -> (short) number).toArray(Short[]::new);
    }

    @Test
    void whoHasNothingToCommitKeepsNobodyFromBeingTried() {
        work.refuse(FIRST);
        work.refuse(THIRD);
        Set<Short> tried = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            WorkSlot trial = trial(ALL);
            tried.add(trial.consumer());
            work.nothing(trial);
        }
        assertThat(tried).containsExactlyInAnyOrder(toShorts(1, 2, 3));
    }

    @Test
    void firstWorkThatCommitsLetsAllConsumersGoOnAtOnceButThoseThatWereRefused() {
        work.refuse(FIRST);
        work.refuse(THIRD);
        assertThat(work.holdsBack(FOURTH)).isTrue();
        work.commit(FOURTH);

        assertThat(work.isAll()).isFalse();
        assertThat(work.mayBegin(FOURTH)).isTrue();
        assertThat(work.mayBegin(FIRST)).isFalse();
        assertThat(work.mayBegin(SECOND)).isFalse();
        assertThat(work.mayBegin(THIRD)).isFalse();
        work.commit(THIRD);
        assertThat(work.mayBegin(THIRD)).isTrue();
    }

    @Test
    void firstWorkOfAConsumerThatCommitsLetsItsOtherWorkGoOnButWhatWasRefusedItself() {
        work.refuse(FIRST);
        assertThat(work.holdsBack(SECOND)).isTrue();
        work.commit(SECOND);

        assertThat(work.isAll()).isFalse();
        assertThat(work.holdsBack(SECOND)).isFalse();
        assertThat(work.mayBegin(SECOND)).isTrue();
        assertThat(work.mayBegin(FIRST)).isFalse();
        assertThat(nextIn()).isEqualTo(Duration.ofMillis(100));
        advance(nextIn());
        assertThat(work.mayBegin(FIRST)).isTrue();
        assertThat(work.nextIn()).isNull();
    }

    @Test
    void pausesOfWorkThatAloneIsRefusedGrowThoughOtherWorkCommits() {
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            work.refuse(FIRST);
            work.commit(SECOND);
            work.choose(ALL, slot -> false);
            pauses.add(nextIn().toMillis());
            advance(nextIn());
        }
        assertThat(pauses).containsExactly(100L, 200L, 400L, 800L, 1600L, 2000L, 2000L);

        work.commit(FIRST);
        work.refuse(FIRST);
        assertThat(nextIn()).isEqualTo(Duration.ofMillis(100));
    }

    /** As where a disk was full for a while, and a row is damaged besides. */
    @Test
    void answerAboutOnePieceOfWorkEndsItsRefusal() {
        work.choose(Set.of(FIRST), slot -> false);
        work.refuse(FIRST);
        assertThat(work.isAll()).isTrue();
        assertThat(work.refuseAlone(FIRST)).isTrue();
        assertThat(work.isAll()).isFalse();

        work.refuse(SECOND);
        work.refuse(THIRD);
        assertThat(work.isAll()).isTrue();
        advance(Duration.ofSeconds(10));
        work.choose(Set.of(FIRST), slot -> false); // Others have done the rest.
        assertThat(work.refuseAlone(FIRST)).isFalse();
        assertThat(work.isAll()).isFalse();
    }

    @Test
    void answerAboutOnePieceOfWorkSaysNothingOfWhatIsStillRefused() {
        work.choose(OF_ONE, slot -> false);
        work.refuse(SECOND);
        assertThat(work.refuseAlone(FIRST)).isTrue();
        assertThat(work.isAll()).isTrue();
        assertThat(work.holdsBack(FIRST)).isTrue();

        assertThat(work.commit(SECOND)).isTrue();
        assertThat(work.isAll()).isFalse();
    }

    @Test
    void threadsThatAreRefusedAtTheSameTimeMakeTheNextPauseNoLonger() {
        work.refuse(FIRST);
        work.refuse(SECOND);
        work.refuse(THIRD);
        work.refuse(FOURTH);

        assertThat(nextIn()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void workWithNothingToCommitSaysNothingAndOtherWorkIsTriedSoon() {
        work.refuse(FIRST);
        WorkSlot trial = trial(OF_ONE);
        work.nothing(trial);

        assertThat(work.isAll()).isTrue();
        assertThat(nextIn()).isEqualTo(Duration.ofMillis(100));
        assertThat(work.mayBegin(trial)).isFalse();
        assertThat(trial(OF_ONE)).isNotEqualTo(trial);
    }

    @Test
    void workThatDoesNotReachTheDatabaseIsWarnedOfAndHoldsUpNothing() {
        assertThat(work.notReached(FIRST)).isTrue();
        assertThat(work.notReached(THIRD)).isFalse();

        assertThat(work.isAll()).isFalse();
        assertThat(ALL).allMatch(work::mayBegin);
    }

    @Test
    void workThatTakesLongKeepsNoOtherFromBeingTried() {
        work.refuse(FIRST);
        WorkSlot slow = trial(OF_ONE);
        assertThat(nextIn()).isEqualTo(Duration.ofSeconds(2));
        advance(nextIn());
        work.choose(OF_ONE, slow::equals);

        assertThat(work.mayBegin(slow)).isFalse();
        assertThat(OF_ONE.stream().filter(work::mayBegin)).hasSize(1);
    }

    @Test
    void whereThreadsAreAtAllThatIsDueItIsAskedAgainAfterAPause() {
        work.refuse(FIRST);
        work.refuse(THIRD);
        advance(nextIn());
        work.choose(ALL, slot -> true);

        assertThat(ALL).noneMatch(work::mayBegin);
        assertThat(nextIn()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void refusalIsOverWhenOthersHaveDoneTheWork() {
        work.refuse(FIRST);
        work.choose(Set.of(), slot -> false);

        assertThat(work.isAll()).isFalse();
        advance(nextIn());
        assertThat(work.mayBegin(FIRST)).isTrue();
    }

    @Test
    void refusalOfWorkThatIsStillAtHandIsNotOver() {
        work.refuse(FIRST);
        work.choose(Set.of(), FIRST::equals);

        assertThat(work.isAll()).isTrue();
    }

    @Test
    void refusalThatStaysIsWarnedOfAtOnceAndThenEveryTenMinutes() {
        assertThat(work.refuse(FIRST)).isTrue();
        advance(Duration.ofMinutes(9));
        assertThat(work.refuse(SECOND)).isFalse();
        advance(Duration.ofMinutes(1));
        assertThat(work.refuse(SECOND)).isTrue();
        assertThat(work.commit(SECOND)).isTrue();
    }

    @Test
    void anotherConsumersCommitDoesNotEndARefusal() {
        assertThat(work.refuse(FIRST)).isTrue();

        assertThat(work.commit(THIRD)).isFalse();
        advance(Duration.ofMinutes(2));
        assertThat(work.refuse(FIRST)).as("a warning within ten minutes").isFalse();

        assertThat(work.commit(FIRST)).isTrue();
    }

    @Test
    void refusalsThatComeAndGoAreWarnedOfOnceAMinute() {
        assertThat(work.refuse(FIRST)).isTrue();
        assertThat(work.commit(SECOND)).isTrue();
        advance(Duration.ofSeconds(59));
        assertThat(work.refuse(FIRST)).isFalse();
        assertThat(work.commit(SECOND)).isFalse();
        advance(Duration.ofSeconds(1));
        assertThat(work.refuse(FIRST)).isTrue();
    }

    @Test
    void refusalIsWarnedOfAlsoBehindAWarningOfNoConnection() {
        assertThat(work.notReached(FIRST)).isTrue();
        assertThat(work.refuse(FIRST)).isTrue();
        assertThat(work.notReached(SECOND)).isFalse();
        assertThat(work.refuse(SECOND)).isFalse();

        assertThat(work.commit(SECOND)).isTrue();
        assertThat(work.commit(SECOND)).isFalse();
    }
}
