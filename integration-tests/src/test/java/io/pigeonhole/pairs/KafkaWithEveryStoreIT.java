package io.pigeonhole.pairs;

import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Kafka with every database. */
@ParameterizedClass
@MethodSource("io.pigeonhole.pairs.Pair#ofKafka")
@Tag("full")
class KafkaWithEveryStoreIT extends SourceContract<JdbcContext> {
    private final Pair pair;

    KafkaWithEveryStoreIT(Pair pair) {
        this.pair = pair;
    }

    @Override
    protected BrokerFixture broker() {
        return pair.brokerFixture();
    }

    @Override
    protected StoreFixture<JdbcContext> store() {
        return pair.storeFixture();
    }
}
