package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.jdbc.JdbcContext;
import java.util.List;

/** Pigeonhole as a user has it: an inbox with its defaults and one handler. */
final class ExactlyOnce implements MessageSink {
    private final Inbox<JdbcContext> inbox;

    private ExactlyOnce(String consumer, InboxStore<JdbcContext> store, Handler<Payment, JdbcContext> handler) {
        this.inbox = Inbox.builder(consumer, store)
                .handle(Workload.TYPE, Payment::of, handler)
                .build();
    }

    /** With the very business logic of the floor, on the connection that the handler is given. */
    static ExactlyOnce direct(String consumer, InboxStore<JdbcContext> store) {
        return new ExactlyOnce(consumer, store, (payment, context) -> AtLeastOnce.apply(payment, context.connection()));
    }

    /** With the same two statements as deferred writes. */
    static ExactlyOnce deferred(String consumer, InboxStore<JdbcContext> store) {
        return new ExactlyOnce(consumer, store, ExactlyOnce::deferPayment);
    }

    /** With deferred writes, and a message to send for each. */
    static ExactlyOnce appending(String consumer, InboxStore<JdbcContext> store, OutboxMessage toSend) {
        return new ExactlyOnce(consumer, store, (payment, context) -> {
            deferPayment(payment, context);
            context.outbox().append(toSend);
        });
    }

    /** The business logic with deferred writes. */
    static void deferPayment(Payment payment, JdbcContext context) {
        context.defer(Bank.CREDIT, payment.amount(), payment.account());
        context.defer(Bank.RECORD, payment.number(), payment.account(), payment.amount());
    }

    @Override
    public void accept(List<Message> batch) {
        List<Outcome> outcomes = batch.size() == 1 ? List.of(inbox.process(batch.get(0))) : inbox.process(batch);
        for (Outcome outcome : outcomes) {
            if (outcome.kind() != Outcome.Kind.PROCESSED && outcome.kind() != Outcome.Kind.DUPLICATE) {
                throw new IllegalStateException("nothing fails here, yet the inbox said " + outcome);
            }
        }
    }
}
