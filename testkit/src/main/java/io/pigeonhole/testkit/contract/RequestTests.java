package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotencyListener;
import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestIdentity;
import io.pigeonhole.core.idempotency.RequestOutcome;
import io.pigeonhole.core.idempotency.RequestOutcome.Kind;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Key, effects and response in one transaction. */
abstract class RequestTests<C extends HandlerContext> extends RequestLab<C> {
    RequestTests(Supplier<StoreFixture<C>> fixtures, Function<StoreFixture<C>, IdempotencyStore<C>> stores) {
        super(fixtures, stores);
    }

    @Test
    void firstRequestIsHandled() throws Exception {
        assertExecuted(node.handle(request("a"), writing("paid")), "paid");

        assertThat(fixture.effects()).containsExactly("paid");
    }

    @Test
    void handlerSeesTheRequestAsAMessage() throws Exception {
        List<String> seen = new ArrayList<>();
        node.handle(request("a"), context -> {
            seen.add(context.message().type() + " " + context.message().id() + " "
                    + context.message().contentType());
            seen.add(context.idempotencyKey("charge"));
            return Reply.rollBack(response(""));
        });
        other.handle(request("a"), context -> {
            seen.add(context.idempotencyKey("charge"));
            return Reply.rollBack(response(""));
        });

        assertThat(seen.get(0)).isEqualTo("POST /payments a text/plain");
        assertThat(seen.get(1)).hasSize(32).isEqualTo(seen.get(2));
    }

    @Test
    void sameRequestIsAnsweredWithTheStoredResponse() throws Exception {
        node.handle(request("a"), writing("paid"));

        assertReplayed(other.handle(request("a"), neverCalled()), "paid");
        assertReplayed(node.handle(request("a"), neverCalled()), "paid");
        assertThat(fixture.effects()).containsExactly("paid");
    }

    @Test
    void anyBytesComeBackAsTheyWere() throws Exception {
        byte[] bytes = new byte[300];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        Headers headers = Headers.none().with("X-Odd", new byte[] {0, -1, 10}).with("X-Odd", "again");
        StoredResponse odd = new StoredResponse(299, headers, bytes);
        node.handle(request("a"), context -> Reply.commit(odd));

        assertThat(other.handle(request("a"), neverCalled())).isEqualTo(new RequestOutcome.Replayed(odd));
    }

    @Test
    void responseWithoutBodyComesBackWithoutBody() throws Exception {
        StoredResponse empty = new StoredResponse(204, Headers.none(), new byte[0]);
        node.handle(request("a"), context -> Reply.commit(empty));

        assertThat(other.handle(request("a"), neverCalled())).isEqualTo(new RequestOutcome.Replayed(empty));
    }

    @Test
    void handlerThatThrowsLeavesNothingAndIsCalledAgain() throws Exception {
        assertThatThrownBy(() -> node.handle(request("a"), context -> {
                    fixture.write(context, "lost");
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no");
        assertThat(fixture.effects()).isEmpty();

        assertExecuted(other.handle(request("a"), writing("paid")), "paid");
        assertThat(fixture.effects()).containsExactly("paid");
    }

    @Test
    void rolledBackReplyLeavesNothingAndIsCalledAgain() throws Exception {
        RequestOutcome outcome = node.handle(request("a"), context -> {
            fixture.write(context, "lost");
            return Reply.rollBack(response("bad"));
        });
        assertThat(outcome).isEqualTo(new RequestOutcome.NotStored(response("bad")));
        assertThat(fixture.effects()).isEmpty();

        assertExecuted(node.handle(request("a"), writing("paid")), "paid");
    }

    @Test
    void replyAloneIsStoredWhereEffectsAreUndone() throws Exception {
        IdempotentRequests<C> strict = node(builder -> builder.storesFailures(true));
        RequestOutcome outcome = strict.handle(request("a"), context -> {
            fixture.write(context, "lost");
            fixture.defer(context, "lost too");
            return Reply.commitResponseOnly(response("failed"));
        });
        assertExecuted(outcome, "failed");

        assertThat(fixture.effects()).isEmpty();
        assertReplayed(other.handle(request("a"), neverCalled()), "failed");
    }

    @Test
    void replyAloneNeedsToBeAllowed() {
        assertThatThrownBy(() -> node.handle(request("a"), context -> Reply.commitResponseOnly(response("failed"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("storesFailures");
    }

    @Test
    void deferredWritesAreCommittedWithTheKey() throws Exception {
        node.handle(request("a"), context -> {
            fixture.defer(context, "later");
            return Reply.commit(response("ok"));
        });

        assertThat(fixture.effects()).containsExactly("later");
    }

    @Test
    void contextIsOfNoUseBehindTheHandler() throws Exception {
        List<C> kept = new ArrayList<>();
        node.handle(request("a"), context -> {
            kept.add(context);
            return Reply.commit(response("ok"));
        });

        assertThatThrownBy(() -> fixture.write(kept.get(0), "late")).isInstanceOf(IllegalStateException.class);
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void requestThatComesMeanwhileToAnotherNodeIsInProgress() throws Exception {
        List<RequestOutcome> meanwhile = new ArrayList<>();
        RequestOutcome first = node.handle(request("a"), context -> {
            fixture.write(context, "paid");
            meanwhile.add(elsewhere(request("a"), neverCalled()));
            return Reply.commit(response("paid"));
        });

        assertThat(meanwhile).containsExactly(new RequestOutcome.InProgress(Duration.ofSeconds(1)));
        assertExecuted(first, "paid");
        assertReplayed(other.handle(request("a"), neverCalled()), "paid");
    }

    @Test
    void requestThatComesMeanwhileToTheSameNodeIsInProgress() throws Exception {
        List<RequestOutcome> meanwhile = new ArrayList<>();
        RequestOutcome first = node.handle(request("a"), context -> {
            meanwhile.add(node.handle(request("a"), neverCalled()));
            assertThat(node.counts().running()).isEqualTo(1);
            return Reply.commit(response("paid"));
        });

        assertThat(meanwhile).containsExactly(new RequestOutcome.InProgress(Duration.ofSeconds(1)));
        assertExecuted(first, "paid");
        assertThat(node.counts().running()).isZero();
    }

    @Test
    void requestWithAnotherKeyIsHandledMeanwhile() throws Exception {
        List<RequestOutcome> meanwhile = new ArrayList<>();
        node.handle(request("a"), context -> {
            fixture.write(context, "first");
            for (int i = 0; i < 20; i++) {
                meanwhile.add(elsewhere(request("b" + i), c -> Reply.commit(response("other"))));
            }
            return Reply.commit(response("first"));
        });

        assertThat(meanwhile).hasSize(20).allMatch(RequestOutcome.Executed.class::isInstance);
    }

    @Test
    void requestWaitsForAnotherNodeWhereItIsAllowedTo() throws Exception {
        IdempotentRequests<C> patient = node(builder -> builder.concurrentDuplicateTimeout(Duration.ofSeconds(30)));
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        Future<RequestOutcome> first = threads.start(() -> node.handle(request("a"), context -> {
            handling.countDown();
            await(asked);
            return Reply.commit(response("paid"));
        }));
        await(handling);
        Future<RequestOutcome> second = threads.start(() -> patient.handle(request("a"), neverCalled()));
        Future<RequestOutcome> third = threads.start(() -> patient.handle(request("a"), neverCalled()));
        asked.countDown();

        assertExecuted(Threads.result(first), "paid");
        assertReplayed(Threads.result(second), "paid");
        assertReplayed(Threads.result(third), "paid");
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void requestsThatComeTogetherAreHandledOnce() throws Exception {
        List<RequestOutcome> outcomes = threads.together(8, i -> {
            try {
                return (i % 2 == 0 ? node : other).handle(request("a"), writing("paid"));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });

        assertThat(fixture.effects()).containsExactly("paid");
        assertThat(outcomes)
                .filteredOn(RequestOutcome.Executed.class::isInstance)
                .hasSize(1);
        assertThat(outcomes)
                .allMatch(outcome -> outcome.kind() == Kind.EXECUTED
                        || outcome.kind() == Kind.REPLAYED
                        || outcome.kind() == Kind.IN_PROGRESS);
    }

    @Test
    void keyOfAnotherRequestIsRefusedAndTheStoredOneStays() throws Exception {
        node.handle(request("a"), writing("paid"));

        assertThat(other.handle(request(identity("a"), "11 EUR"), neverCalled()))
                .isEqualTo(new RequestOutcome.FingerprintMismatch());
        assertReplayed(other.handle(request("a"), neverCalled()), "paid");
    }

    @Test
    void scopesAndOperationsKnowNothingOfEachOther() throws Exception {
        node.handle(request("a"), writing("ann's"));
        List<RequestIdentity> others = List.of(
                new RequestIdentity(OPERATION, RequestScope.of("bob"), "a"),
                new RequestIdentity(OPERATION, new RequestScope("ann", null), "a"),
                new RequestIdentity(OPERATION, new RequestScope("acme", "ann"), "a"),
                new RequestIdentity(OPERATION, RequestScope.anonymous(), "a"),
                new RequestIdentity("POST /refunds", ANN, "a"));

        for (RequestIdentity identity : others) {
            assertExecuted(node.handle(request(identity, "10 EUR"), writing("own")), "own");
        }
        assertThat(fixture.effects()).hasSize(1 + others.size());
        assertReplayed(node.handle(request("a"), neverCalled()), "ann's");
    }

    @Test
    void requestsOfAnotherNameKnowNothingOfThese() throws Exception {
        node.handle(request("a"), writing("paid"));
        IdempotentRequests<C> stranger =
                IdempotentRequests.builder(store, "another " + name).build();

        assertExecuted(stranger.handle(request("a"), writing("paid too")), "paid too");
    }

    @Test
    void keyWhoseRetentionIsOverIsNew() throws Exception {
        node.handle(request("a"), writing("paid"));
        fixture.advance(Duration.ofHours(23));
        assertReplayed(node.handle(request("a"), neverCalled()), "paid");

        fixture.advance(Duration.ofHours(2));
        assertExecuted(node.handle(request(identity("a"), "20 EUR"), writing("paid again")), "paid again");
        assertThat(node.handle(request("a"), neverCalled())).isEqualTo(new RequestOutcome.FingerprintMismatch());
    }

    @Test
    void keyIsNewOnceWhereManyComeBehindItsRetention() throws Exception {
        node.handle(request("a"), writing("paid"));
        fixture.advance(Duration.ofHours(25));

        List<RequestOutcome> meanwhile = new ArrayList<>();
        node.handle(request("a"), context -> {
            meanwhile.add(elsewhere(request("a"), neverCalled()));
            return writing("paid again").handle(context);
        });

        assertThat(meanwhile).containsExactly(new RequestOutcome.InProgress(Duration.ofSeconds(1)));
        assertReplayed(other.handle(request("a"), neverCalled()), "paid again");
    }

    @Test
    void responseThatIsTooLargeIsNotStoredButItsEffectIs() throws Exception {
        IdempotentRequests<C> small = node(builder -> builder.largestBody(10));
        assertExecuted(small.handle(request("a"), writing("12345678901")), "12345678901");
        small.handle(request("b"), writing("1234567890"));

        assertThat(fixture.effects()).containsExactly("12345678901", "1234567890");
        assertThat(other.handle(request("a"), neverCalled())).isEqualTo(new RequestOutcome.NotReplayable(201, CREATED));
        assertReplayed(other.handle(request("b"), neverCalled()), "1234567890");
    }

    @Test
    void storedBodiesAreProtected() throws Exception {
        IdempotentRequests<C> secret = node(builder -> builder.protection(new Turning()));
        secret.handle(request("a"), writing("paid"));

        assertReplayed(secret.handle(request("a"), neverCalled()), "paid");
        assertReplayed(other.handle(request("a"), neverCalled()), "diap");
    }

    /** Its library may be missing. */
    @Test
    void errorOfAListenerChangesNothing() throws Exception {
        IdempotentRequests<C> watched = node(builder -> builder.listener(new IdempotencyListener() {
            @Override
            public void onOutcome(String operation, RequestOutcome outcome, Duration took) {
                throw new NoClassDefFoundError("of a listener");
            }
        }));

        assertExecuted(watched.handle(request("a"), writing("paid")), "paid");
        assertReplayed(watched.handle(request("a"), neverCalled()), "paid");
    }

    @Test
    void failureThatIsWrappedIsTemporaryNevertheless() {
        RetryableException unknown = new OutcomeUnknownException("the connection was lost", null);

        assertThat(node.isTemporary(new RetryableException("busy", null))).isTrue();
        assertThat(node.isTemporary(new IllegalStateException(new RuntimeException(unknown))))
                .isTrue();
        assertThat(node.isTemporary(new PermanentFailure("given up", unknown))).isFalse();
        assertThat(node.isTemporary(new IllegalStateException("no"))).isFalse();
    }

    @Test
    void outcomesAreCountedAndTold() throws Exception {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        IdempotentRequests<C> watched = node(builder -> builder.listener(new IdempotencyListener() {
            @Override
            public void onOutcome(String operation, RequestOutcome outcome, Duration took) {
                told.add(operation + ": " + outcome.kind());
                throw new IllegalStateException("of a listener");
            }

            @Override
            public void onFailure(String operation, Throwable failure, Duration took) {
                told.add(operation + ": " + failure.getMessage());
            }
        }));
        watched.handle(request("a"), writing("paid"));
        watched.handle(request("a"), neverCalled());
        assertThatThrownBy(() -> watched.handle(request("b"), context -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(told).containsExactly(OPERATION + ": EXECUTED", OPERATION + ": REPLAYED", OPERATION + ": no");
        assertThat(watched.counts().of(Kind.EXECUTED)).isEqualTo(1);
        assertThat(watched.counts().of(Kind.REPLAYED)).isEqualTo(1);
        assertThat(watched.counts().of(Kind.IN_PROGRESS)).isZero();
        assertThat(watched.counts().failed()).isEqualTo(1);
    }
}
