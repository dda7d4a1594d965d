package io.pigeonhole.sqs;

import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.SharedStore;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** FIFO queues with PostgreSQL. */
@Tag("full")
class SqsToPostgresContractIT extends SourceContract<JdbcContext> {
    @Override
    protected BrokerFixture broker() {
        return SqsBroker.fifo();
    }

    @Override
    protected StoreFixture<JdbcContext> store() {
        return SharedStore.fixtureOn(PostgresServers.embedded());
    }
}
