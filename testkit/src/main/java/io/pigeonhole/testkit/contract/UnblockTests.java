package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer.Kind;
import io.pigeonhole.core.admin.BlockedKey;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.InboxTransaction;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ordering keys whose messages wait. */
abstract class UnblockTests<C extends HandlerContext> extends AdminLab<C> {
    private static final OrderingKey KEY = orderingKey("k");

    UnblockTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void keepOrder() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
    }

    private Kind unblock() {
        return admin.unblock(name(), KEY, ANN).kind();
    }

    @Test
    void blockedKeysTellWhatBlocksThemAndHowManyWait() {
        Message head = ofKey("k");
        park(head, LATER);
        receive(ofKey("k"), ofKey("k"));
        Message dead = ofKey("d");
        deadLetter(dead);
        receive(ofKey("d"));
        receive(ofKey("free"));

        List<BlockedKey> blocked = admin.blockedKeys(name(), ALL);
        assertThat(blocked).extracting(BlockedKey::orderingKey).containsExactly(KEY, orderingKey("d"));
        assertThat(blocked).extracting(BlockedKey::head).containsExactly(keyOf(head), keyOf(dead));
        assertThat(blocked).extracting(BlockedKey::status).containsExactly(MessageStatus.PARKED, MessageStatus.DEAD);
        assertThat(blocked).extracting(BlockedKey::waiting).containsExactly(2L, 1L);
        assertThat(blocked.get(0).error()).contains("it failed");
        assertThat(blocked.get(0).dueAt()).isNotNull();
        assertThat(blocked.get(1).dueAt()).isNull();
        assertThat(summary().blocking()).isEqualTo(1);
        assertThat(admin.blockedKeys(name(), 1)).isEqualTo(blocked.subList(0, 1));
    }

    @Test
    void leasedHeadBlocks() {
        receiveByLease(ofKey("k"), ofKey("k"));
        leased();

        assertThat(admin.blockedKeys(name(), ALL))
                .extracting(BlockedKey::status)
                .containsExactly(MessageStatus.LEASED);
    }

    @Test
    void parkedHeadIsSkippedAndTheKeyGoesOn() {
        Message head = ofKey("k");
        Message next = ofKey("k");
        park(head, LATER);
        receive(next);
        assertThat(available()).isEmpty();

        assertThat(unblock()).isEqualTo(Kind.DONE);
        assertThat(available()).containsExactly(keyOf(next));
        DeadLetterEntry letter = letters().get(0);
        assertThat(letter.message().key()).isEqualTo(keyOf(head));
        assertThat(letter.reason()).isEqualTo(DeadReason.SKIPPED);
        assertThat(letter.detail()).contains("ann").contains("it failed");
        assertThat(letter.blocks()).isFalse();
        assertThat(letter.claimed()).isTrue();
        assertThat(actions()).containsExactly(AdminAction.UNBLOCK);
        assertThat(audit().get(0).key()).isEqualTo(keyOf(head));
    }

    @Test
    void leasedHeadIsNotSkipped() {
        receiveByLease(ofKey("k"));
        leased();

        assertThat(unblock()).isEqualTo(Kind.LEASED);
        assertThat(letters()).isEmpty();
        assertThat(audit()).isEmpty();
    }

    @Test
    void deadLetterBlocksNoLongerAndStays() {
        Message dead = ofKey("k");
        Message next = ofKey("k");
        deadLetter(dead);
        receive(next);
        assertThat(available()).isEmpty();

        assertThat(unblock()).isEqualTo(Kind.DONE);
        assertThat(available()).containsExactly(keyOf(next));
        assertThat(deadKeys()).containsExactly(keyOf(dead));
        assertThat(admin.blockedKeys(name(), ALL)).isEmpty();
    }

    @Test
    void oneCallSkipsOneMessage() {
        park(ofKey("k"), LATER);
        park(ofKey("k"), LATER);
        Message last = ofKey("k");
        receive(last);

        unblock();
        assertThat(available()).isEmpty();
        unblock();
        assertThat(available()).containsExactly(keyOf(last));
        assertThat(unblock()).isEqualTo(Kind.UNCHANGED);
        assertThat(actions()).hasSize(2);
    }

    @Test
    void keyWithoutMessagesIsNotBlocked() {
        assertThat(unblock()).isEqualTo(Kind.NOT_FOUND);
        assertThat(admin.blockedKeys(name(), ALL)).isEmpty();
    }

    @Test
    void workPartitionInWhichADeliveryIsStoredIsBusy() {
        park(ofKey("k"), LATER);
        try (InboxTransaction<C> transaction = begin()) {
            transaction.lock(consumer, List.of(0), SHORT);
            assertThat(unblock()).isEqualTo(Kind.BUSY);
        }
        assertThat(audit()).isEmpty();
    }
}
