package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.BrokerQueue;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The broker in memory with the store in memory. */
class InMemorySourceContractTest extends SourceContract<InMemoryContext> {
    @Override
    protected BrokerFixture broker() {
        return new Fixture();
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }

    private static final class Fixture implements BrokerFixture {
        private final InMemoryBroker broker = InMemoryBroker.create();

        @Override
        public Set<Ability> abilities() {
            return EnumSet.complementOf(EnumSet.of(Ability.FREEZE, Ability.RESTART));
        }

        @Override
        public BrokerQueue queue() {
            return new BrokerQueue() {
                @Override
                public String name() {
                    return "notes";
                }

                @Override
                public void send(List<Message> messages) {
                    broker.send("notes", messages);
                }

                @Override
                public Source source(Inbox<?> inbox) {
                    return broker.source(inbox, "notes");
                }

                @Override
                public long left(String consumer) {
                    return broker.unacknowledged("notes");
                }
            };
        }

        @Override
        public void cut() {
            broker.cut();
        }

        @Override
        public void close() {}
    }
}
