package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.outbox.MessageIds;
import io.pigeonhole.core.relay.Publisher;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import io.pigeonhole.testkit.broker.InMemoryPublisher;
import io.pigeonhole.testkit.contract.BrokerQueue;
import io.pigeonhole.testkit.contract.PublisherContract;
import io.pigeonhole.testkit.contract.PublisherFixture;
import io.pigeonhole.testkit.contract.StoreFixture;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The publisher in memory keeps the contract of all publishers. */
class InMemoryPublisherContractTest extends PublisherContract<InMemoryContext> {
    private static final String QUEUE = "notes";
    private static final String BAD = "bad";

    @Override
    protected PublisherFixture publishing() {
        return new Fixture();
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }

    private static final class Fixture implements PublisherFixture {
        private final InMemoryBroker broker = InMemoryBroker.create();
        private final InMemoryPublisher publisher = broker.publisher(QUEUE);

        private Fixture() {
            publisher.refuse(
                    message -> BAD.equals(message.type()) ? new IllegalArgumentException("the type is " + BAD) : null);
        }

        @Override
        public Set<Ability> abilities() {
            return EnumSet.complementOf(EnumSet.of(Ability.UNROUTABLE));
        }

        @Override
        public BrokerQueue queue() {
            return new BrokerQueue() {
                @Override
                public String name() {
                    return QUEUE;
                }

                @Override
                public void send(List<Message> messages) {
                    broker.send(QUEUE, messages);
                }

                @Override
                public Source source(Inbox<?> inbox) {
                    return broker.source(inbox, QUEUE);
                }

                @Override
                public long left(String consumer) {
                    return broker.unacknowledged(QUEUE);
                }
            };
        }

        @Override
        public Publisher publisher() {
            return publisher;
        }

        @Override
        public Message refusable() {
            return Message.builder("sent")
                    .id(MessageIds.next())
                    .type(BAD)
                    .payload("x")
                    .build();
        }

        @Override
        public void leave() {
            publisher.leave();
        }

        @Override
        public void freeze() {
            publisher.fallSilent();
        }

        @Override
        public void comeBack() {
            publisher.comeBack();
        }

        @Override
        public void close() {}
    }
}
