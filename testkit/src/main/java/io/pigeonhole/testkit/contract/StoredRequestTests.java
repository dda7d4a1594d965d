package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestDetails;
import io.pigeonhole.core.idempotency.RequestOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What people see of stored requests, and how they go. */
abstract class StoredRequestTests<C extends HandlerContext> extends RequestLab<C> {
    private static final Author BEN = new Author("ben", "wrong amount");

    StoredRequestTests(Supplier<StoreFixture<C>> fixtures, Function<StoreFixture<C>, IdempotencyStore<C>> stores) {
        super(fixtures, stores);
    }

    @Test
    void requestIsFoundWithoutItsBody() throws Exception {
        node.handle(request("a"), writing("paid"));

        RequestDetails found = node.admin().find(identity("a")).orElseThrow();
        assertThat(found.operation()).isEqualTo(OPERATION);
        assertThat(found.key()).isEqualTo("a");
        assertThat(found.status()).isEqualTo(201);
        assertThat(found.headers()).isEqualTo(CREATED);
        assertThat(found.bodyBytes()).isEqualTo(4);
        assertThat(Duration.between(found.createdAt(), found.expiresAt())).isEqualTo(Duration.ofDays(1));
        assertThat(found.steps()).isEmpty();
        assertThat(node.admin().find(identity("b"))).isEmpty();
    }

    @Test
    void forgottenRequestIsHandledAnewAndTheChangeIsAudited() throws Exception {
        node.handle(request("a"), writing("paid"));

        assertThat(node.admin().forget(identity("a"), BEN).kind()).isEqualTo(Answer.Kind.DONE);
        assertThat(Admin.of(fixture.adminStore())
                        .audit(name, PageRequest.first(10))
                        .entries())
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.action()).isEqualTo(AdminAction.FORGET_REQUEST);
                    assertThat(entry.author()).isEqualTo(BEN);
                    assertThat(entry.key()).isEqualTo(identity("a").storageKey());
                    assertThat(entry.detail()).contains(OPERATION, "key a", "status 201");
                });
        assertExecuted(node.handle(request(identity("a"), "12 EUR"), writing("paid again")), "paid again");
    }

    @Test
    void unknownRequestIsNotForgotten() {
        assertThat(node.admin().forget(identity("a"), BEN).kind()).isEqualTo(Answer.Kind.NOT_FOUND);
        assertThat(Admin.of(fixture.adminStore())
                        .audit(name, PageRequest.first(10))
                        .entries())
                .isEmpty();
    }

    @Test
    void leasedRequestIsNotForgotten() throws Exception {
        List<Answer.Kind> answers = new ArrayList<>();
        node.handleInSteps(request("a"), steps -> {
            answers.add(node.admin().forget(identity("a"), BEN).kind());
            return Reply.commit(response("ok"));
        });

        assertThat(answers).containsExactly(Answer.Kind.LEASED);
    }

    @Test
    void purgeDeletesWhatIsPastItsRetentionAndNoMore() throws Exception {
        for (int i = 0; i < 5; i++) {
            node.handle(request("old " + i), writing("old"));
        }
        fixture.advance(Duration.ofHours(20));
        node.handle(request("new"), writing("new"));
        assertThat(node.purge(100)).isZero();

        fixture.advance(Duration.ofHours(5));
        assertThat(node.purge(3)).isEqualTo(3);
        assertThat(node.purge(3)).isEqualTo(2);
        assertThat(node.purge(3)).isZero();
        assertReplayed(node.handle(request("new"), neverCalled()), "new");
        assertThat(node.admin().find(identity("old 0"))).isEmpty();
    }

    @Test
    void purgeLeavesWhatIsBeingReplaced() throws Exception {
        node.handle(request("a"), writing("paid"));
        fixture.advance(Duration.ofHours(25));

        List<Integer> purged = new ArrayList<>();
        RequestOutcome again = node.handle(request("a"), context -> {
            purged.add(other.purge(100));
            return writing("paid again").handle(context);
        });

        assertThat(purged).containsExactly(0);
        assertExecuted(again, "paid again");
        assertReplayed(other.handle(request("a"), neverCalled()), "paid again");
    }

    @Test
    void purgeOfOneNameLeavesTheOthers() throws Exception {
        node.handle(request("a"), writing("paid"));
        fixture.advance(Duration.ofHours(25));

        assertThat(store.purge(store.register("another " + name), Duration.ofDays(90), 100))
                .isZero();
        assertThat(node.purge(100)).isEqualTo(1);
    }
}
