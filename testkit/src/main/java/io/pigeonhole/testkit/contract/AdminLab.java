package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.ConsumerSummary;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of the admin API begin with. */
abstract class AdminLab<C extends HandlerContext> extends WorkLab<C> {
    static final Author ANN = new Author("ann", "the bank is back");

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    Admin admin;

    AdminLab(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void takeAdmin() {
        admin = Admin.of(fixture.adminStore());
    }

    /** Claims and gives up on. */
    void deadLetter(Message... messages) {
        run(transaction -> {
            claimAll(transaction, List.of(messages));
            for (Message message : messages) {
                transaction.deadLetter(consumer, List.of(dead(message, DeadReason.RETRIES_EXHAUSTED, true)));
            }
        });
    }

    /** Gives up on what was never claimed. */
    void deadLetterUnclaimed(Message message, DeadReason reason) {
        run(transaction -> transaction.deadLetter(consumer, List.of(dead(message, reason, false))));
    }

    String name() {
        return consumer.name();
    }

    ConsumerSummary summary() {
        return admin.consumers().stream()
                .filter(summary -> summary.consumer().equals(consumer))
                .findAny()
                .orElseThrow();
    }

    List<WorkEntry> work() {
        return admin.work(WorkFilter.of(name()), PageRequest.first(ALL)).entries();
    }

    List<DeadLetterEntry> letters() {
        return admin.deadLetters(DeadLetterFilter.of(name()), PageRequest.first(ALL))
                .entries();
    }

    List<MessageKey> deadKeys() {
        return letters().stream().map(letter -> letter.message().key()).toList();
    }

    MessageDetails shown(Message message) {
        return admin.show(name(), keyOf(message)).orElseThrow();
    }

    MessageStatus statusOf(Message message) {
        return shown(message).status();
    }

    List<AuditEntry> audit() {
        return admin.audit(name(), PageRequest.first(ALL)).entries();
    }

    /** What people did, the last first. */
    List<AdminAction> actions() {
        return audit().stream().map(AuditEntry::action).toList();
    }
}
