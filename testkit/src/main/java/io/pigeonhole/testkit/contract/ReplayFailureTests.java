package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.SkippedMessage;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a run when its handler fails, or its process does. */
abstract class ReplayFailureTests<C extends HandlerContext> extends ReplayLab<C> {
    private static final Author BOB = new Author("bob", "mended");

    /** A part of what may be thrown is enough where a test does not try all of it. */
    private static final int PARTS = 8;

    private static final Duration A_MOMENT = Duration.ofMillis(500);

    private static final int MORE_CALLS_THAN_ANY_BOUND = 200;

    private final BooleanSupplier everything;

    ReplayFailureTests(Supplier<StoreFixture<C>> fixtures, BooleanSupplier everything) {
        super(fixtures);
        this.everything = everything;
    }

    /** Writes, and then fails for some. */
    private Handler<String, C> failing(Set<String> payloads) {
        return (payload, context) -> {
            write(payload, context);
            if (payloads.contains(payload)) {
                throw new PermanentFailure("cannot take " + payload);
            }
        };
    }

    @Test
    void aMessageThatFailsStopsTheRunBehindTheOneBefore() {
        List<String> all = finish(10);

        ReplayProgress failed =
                replay("stop", failing(Set.of("5"))).batch(4).build().run();

        assertThat(failed.state()).isEqualTo(ReplayState.FAILED);
        assertThat(failed.error()).contains("cannot take 5");
        assertThat(progress("stop").error()).contains("cannot take 5");
        assertThat(fixture.effects()).isEqualTo(all.subList(0, 5));
        assertThat(progress("stop").done()).isEqualTo(5);

        assertThat(replay("stop").build().run().state())
                .as("until somebody resumes it")
                .isEqualTo(ReplayState.FAILED);
        control.resume(name("stop"), BOB);
        ReplayProgress end = replay("stop").batch(4).build().run();
        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(end.error()).isNull();
        assertThat(fixture.effects()).isEqualTo(all);
    }

    @Test
    @Tag("A3")
    void contextOfAMessageIsOfNoUseBehindItsHandler() {
        List<String> all = finish(3);
        List<C> kept = new ArrayList<>();
        List<String> refused = new ArrayList<>();

        replay("contexts", (payload, context) -> {
                    for (C earlier : kept) {
                        assertThatThrownBy(() -> write("again", earlier)).isInstanceOf(IllegalStateException.class);
                        assertThatThrownBy(() -> fixture.defer(earlier, "again"))
                                .isInstanceOf(IllegalStateException.class);
                        refused.add(payload);
                    }
                    write(payload, context);
                    kept.add(context);
                })
                .build()
                .run();

        assertThat(refused).hasSize(3);
        assertThat(fixture.effects()).isEqualTo(all);
    }

    @Test
    void theFirstMessageMayBeTheOneThatFails() {
        finish(2);

        ReplayProgress failed = replay("stop", failing(Set.of("0"))).build().run();

        assertThat(failed.state()).isEqualTo(ReplayState.FAILED);
        assertThat(failed.done()).isZero();
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void messagesThatFailArePassedAndRecordedWhereThatIsWanted() {
        List<String> all = new ArrayList<>(finish(50));

        ReplayProgress end = replay("skip", failing(Set.of("3", "4", "40", "49")))
                .batch(20)
                .skipFailures()
                .build()
                .run();

        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(end.skipped()).isEqualTo(4);
        assertThat(end.done()).isEqualTo(46);
        all.removeAll(List.of("3", "4", "40", "49"));
        assertThat(fixture.effects()).isEqualTo(all);
        List<SkippedMessage> skipped = control.skipped(name("skip"), 0, 100);
        assertThat(skipped)
                .extracting(SkippedMessage::error)
                .containsExactly("cannot take 3", "cannot take 4", "cannot take 40", "cannot take 49");
        assertThat(control.skipped(name("skip"), skipped.get(2).place(), 100)).containsExactly(skipped.get(3));
    }

    @Test
    @Tag("B1")
    @Tag("B2")
    @Tag("B3")
    void whateverAHandlerThrowsIsTheFailureOfItsMessage() {
        List<Thrown> all = Thrown.all();
        List<Thrown> kinds = IntStream.range(0, all.size())
                .filter(i -> i % PARTS == 0 || everything.getAsBoolean())
                .mapToObj(all::get)
                .toList();
        List<String> payloads = finish(kinds.size());
        Handler<String, C> throwing = (payload, context) -> {
            write(payload, context);
            kinds.get(Integer.parseInt(payload)).raise();
        };

        Assertions.assertTimeoutPreemptively(Duration.ofMinutes(2), () -> {
            Replay<C> replay = replay("whatever", throwing).skipFailures().build();
            while (!isOver(replay)) {
                assertThat(progress("whatever").state()).isEqualTo(ReplayState.RUNNING);
            }
        });
        List<String> returned = payloads.stream()
                .filter(each -> kinds.get(Integer.parseInt(each)).returns())
                .toList();
        assertThat(fixture.effects()).isEqualTo(returned);
        assertThat(progress("whatever").skipped()).isEqualTo(kinds.size() - returned.size());
    }

    /** Whoever is interrupted in a run has it again, and begins the run anew. */
    private boolean isOver(Replay<C> replay) {
        try {
            return replay.run().state() == ReplayState.FINISHED;
        } catch (RetryableException e) {
            assertThat(e).hasMessageContaining("interrupted");
            return false;
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    @Tag("B1")
    void anInterruptEndsTheRunAfterTheBatchAndDecidesNothingAboutItsMessages() {
        List<String> all = finish(4);
        Handler<String, C> interrupting = (payload, context) -> {
            write(payload, context);
            if (payload.equals("0")) {
                Thread.currentThread().interrupt();
            }
        };
        Replay<C> replay = replay("interrupted", interrupting).batch(2).build();

        assertThatThrownBy(replay::run).isInstanceOf(RetryableException.class).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(fixture.effects()).isEqualTo(all.subList(0, 2));
        assertThat(replay.run().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(fixture.effects()).isEqualTo(all);
    }

    @Test
    void aDeferredWriteThatFailsIsItsMessagesFailure() {
        List<String> all = finish(6);
        Handler<String, C> deferring = (payload, context) -> {
            fixture.defer(context, payload);
            if (payload.equals("2")) {
                throw new IllegalStateException("behind a deferred write");
            }
        };

        replay("deferred", deferring).skipFailures().build().run();

        List<String> others = new ArrayList<>(all);
        others.remove("2");
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(others);
    }

    @Test
    void whatPassesIsTriedAgain() {
        List<String> all = finish(5);
        plan.at(CrashPoint.BEFORE_REPLAY_MOVE, 1, () -> {
            throw new IllegalStateException("somebody was in the way");
        });

        assertThat(replay("again").build().run().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(fixture.effects()).isEqualTo(all);
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_FLUSH", "BEFORE_COMMIT"})
    void whatIsRefusedInPassingTooOftenIsTheFailureOfTheMessageThatMeetsIt(CrashPoint point) {
        List<String> all = finish(6);
        int[] calls = new int[1];
        Handler<String, C> refused = (payload, context) -> {
            calls[0]++;
            fixture.defer(context, payload);
            if (payload.equals("2")) {
                plan.at(point, plan.passages(point) + 1, () -> {
                    throw new StoreException(ErrorClass.RETRY_NOW, "could not serialize access", null);
                });
            }
        };

        ReplayProgress end =
                replay("refused", refused).batch(4).skipFailures().build().run();

        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(end.skipped()).isEqualTo(1);
        assertThat(control.skipped(name("refused"), 0, 100))
                .singleElement()
                .satisfies(message -> assertThat(message.error()).contains("could not serialize access"));
        List<String> others = new ArrayList<>(all);
        others.remove("2");
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(others);
        assertThat(calls[0]).isLessThan(MORE_CALLS_THAN_ANY_BOUND);
    }

    @Test
    void whatPassesIsTheFailureOfNoMessage() {
        List<String> all = finish(6);
        int[] refusals = new int[1];
        Handler<String, C> refused = (payload, context) -> {
            fixture.defer(context, payload);
            if (payload.equals("2") && refusals[0]++ < 4) {
                plan.at(CrashPoint.BEFORE_FLUSH, plan.passages(CrashPoint.BEFORE_FLUSH) + 1, () -> {
                    throw new StoreException(ErrorClass.RETRY_NOW, "could not serialize access", null);
                });
            }
        };

        assertThat(replay("passing", refused).build().run().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void messageThatIsLockedForAMomentIsNotPassed() {
        List<String> all = finish(6);
        long[] locked = new long[1];
        Handler<String, C> refused = (payload, context) -> {
            fixture.defer(context, payload);
            if (payload.equals("2")) {
                locked[0] = locked[0] == 0 ? System.nanoTime() : locked[0];
                if (System.nanoTime() - locked[0] < A_MOMENT.toNanos()) {
                    plan.at(CrashPoint.BEFORE_FLUSH, plan.passages(CrashPoint.BEFORE_FLUSH) + 1, () -> {
                        throw new StoreException(ErrorClass.RETRY_NOW, "somebody has locked the row", null);
                    });
                }
            }
        };

        ReplayProgress end =
                replay("locked", refused).batch(4).skipFailures().build().run();

        assertThat(end.skipped()).isZero();
        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    @Tag("B1")
    void interruptBetweenTwoTriesDecidesNothingAboutTheMessage() {
        List<String> all = finish(6);
        boolean[] locked = {true};
        Handler<String, C> refused = (payload, context) -> {
            fixture.defer(context, payload);
            if (payload.equals("2") && locked[0]) {
                plan.at(
                        CrashPoint.AFTER_ROLLBACK,
                        plan.passages(CrashPoint.AFTER_ROLLBACK) + 1,
                        Thread.currentThread()::interrupt);
                plan.at(CrashPoint.BEFORE_FLUSH, plan.passages(CrashPoint.BEFORE_FLUSH) + 1, () -> {
                    throw new StoreException(ErrorClass.RETRY_NOW, "somebody has locked the row", null);
                });
            }
        };
        Replay<C> replay = replay("between", refused).batch(4).skipFailures().build();

        assertThatThrownBy(replay::run).isInstanceOf(RetryableException.class).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(progress("between").skipped()).isZero();
        locked[0] = false;
        assertThat(replay.run().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(all);
    }

    /** An error of the virtual machine goes through everything, as the end of the process does. */
    @Test
    void aRunThatDiesAtAnyPointHasEachEffectOnce() {
        List<String> all = finish(7);
        Map<CrashPoint, Integer> passed = new EnumMap<>(CrashPoint.class);
        for (CrashPoint point : CrashPoint.values()) {
            passed.put(point, -plan.passages(point));
        }
        replay("alive").batch(3).build().run();
        for (CrashPoint point : CrashPoint.values()) {
            passed.merge(point, plan.passages(point), Integer::sum);
        }
        assertThat(passed.get(CrashPoint.BEFORE_REPLAY_MOVE)).isEqualTo(3);

        passed.forEach((point, passages) -> {
            for (int passage = 1; passage <= passages; passage++) {
                dieAt(point, passage, all);
            }
        });
    }

    private void dieAt(CrashPoint point, int passage, List<String> all) {
        String run = point + " " + passage;
        Replay<C> replay = replay(run).batch(3).build();
        int before = fixture.effects().size();
        plan.at(point, plan.passages(point) + passage, () -> {
            throw new InternalError("dies at " + run);
        });

        long done = 0;
        boolean alive = false;
        while (!alive) {
            try {
                alive = replay.run().state() == ReplayState.FINISHED;
            } catch (InternalError e) {
                assertThat(e).hasMessageContaining(run);
            }
            assertThat(progress(run).done()).as(run).isGreaterThanOrEqualTo(done);
            done = progress(run).done();
        }
        List<String> effects = fixture.effects();
        assertThat(effects.subList(before, effects.size())).as(run).isEqualTo(all);
    }
}
