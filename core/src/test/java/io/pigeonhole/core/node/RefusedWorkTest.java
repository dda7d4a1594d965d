package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.store.Backlog.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A4")
class RefusedWorkTest {
    private static final WorkSlot FIRST = new WorkSlot((short) 1, Kind.ORDINARY, 1);
    private static final WorkSlot SECOND = new WorkSlot((short) 1, Kind.ORDINARY, 2);
    private static final WorkSlot THIRD = new WorkSlot((short) 2, Kind.BY_LEASE, 1);
    private static final Set<WorkSlot> ALL = Set.of(FIRST, SECOND, THIRD);

    private long now;
    private final RefusedWork work = new RefusedWork(() -> now);

    private void advance(Duration by) {
        now += by.toNanos();
    }

    private Duration nextIn() {
        Duration next = work.nextIn();
        return next == null ? Duration.ofDays(1) : next;
    }

    /** What may begin once the pause is over. */
    private WorkSlot trial() {
        advance(nextIn());
        work.choose(ALL, slot -> false);
        List<WorkSlot> begin = ALL.stream().filter(work::mayBegin).toList();
        assertThat(begin).hasSize(1);
        return begin.get(0);
    }

    @Test
    void allBeginsWhileWorkCommits() {
        work.choose(ALL, slot -> false);

        assertThat(ALL).allMatch(work::mayBegin);
        assertThat(work.isLast()).isFalse();
        assertThat(work.nextIn()).isNull();
        assertThat(work.commit(FIRST)).isFalse();
    }

    @Test
    void afterARefusalOnePieceOfWorkIsTriedAfterPausesThatGrowToTwoSeconds() {
        work.refuse(FIRST);
        assertThat(work.isLast()).isTrue();
        work.choose(ALL, slot -> false);
        assertThat(ALL).noneMatch(work::mayBegin);

        List<Long> pauses = new ArrayList<>();
        Set<WorkSlot> tried = new HashSet<>();
        for (int i = 0; i < 60; i++) {
            pauses.add(nextIn().toMillis());
            WorkSlot trial = trial();
            tried.add(trial);
            work.refuse(trial);
            assertThat(ALL).noneMatch(work::mayBegin);
        }

        assertThat(pauses)
                .startsWith(100L, 200L, 400L, 800L, 1600L, 2000L, 2000L)
                .allMatch(pause -> pause <= 2000);
        assertThat(tried).isEqualTo(ALL);
    }

    @Test
    void theFirstWorkThatCommitsLetsAllOtherGoOnAtOnceButWhatWasRefusedItself() {
        work.refuse(FIRST);
        work.commit(SECOND);

        assertThat(work.isLast()).isFalse();
        assertThat(work.mayBegin(THIRD)).isTrue();
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

    @Test
    void threadsThatAreRefusedAtTheSameTimeMakeTheNextPauseNoLonger() {
        work.refuse(FIRST);
        work.refuse(SECOND);
        work.refuse(THIRD);

        assertThat(nextIn()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void workWithNothingToCommitSaysNothingAndOtherWorkIsTriedSoon() {
        work.refuse(FIRST);
        WorkSlot trial = trial();
        work.nothing(trial);

        assertThat(work.isLast()).isTrue();
        assertThat(nextIn()).isEqualTo(Duration.ofMillis(100));
        assertThat(work.mayBegin(trial)).isFalse();
    }

    @Test
    void workThatTakesLongKeepsNoOtherFromBeingTried() {
        work.refuse(FIRST);
        WorkSlot slow = trial();
        assertThat(nextIn()).isEqualTo(Duration.ofSeconds(2));
        advance(nextIn());
        work.choose(ALL, slow::equals);

        assertThat(work.mayBegin(slow)).isFalse();
        assertThat(ALL.stream().filter(work::mayBegin)).hasSize(1);
    }

    @Test
    void whereThreadsAreAtAllThatIsDueItIsAskedAgainAfterAPause() {
        work.refuse(FIRST);
        advance(nextIn());
        work.choose(ALL, slot -> true);

        assertThat(ALL).noneMatch(work::mayBegin);
        assertThat(nextIn()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void refusalIsOverWhenOthersHaveDoneTheWork() {
        work.refuse(FIRST);
        work.choose(Set.of(), slot -> false);

        assertThat(work.isLast()).isFalse();
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
    void refusalsThatComeAndGoAreWarnedOfOnceAMinute() {
        assertThat(work.refuse(FIRST)).isTrue();
        assertThat(work.commit(SECOND)).isTrue();
        advance(Duration.ofSeconds(59));
        assertThat(work.refuse(FIRST)).isFalse();
        assertThat(work.commit(SECOND)).isFalse();
        advance(Duration.ofSeconds(1));
        assertThat(work.refuse(FIRST)).isTrue();
    }
}
