package io.pigeonhole.pairs;

import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * With {@link KafkaWithEveryStoreIT} and {@code SqsToPostgresContractIT}, every broker with every database:
 * {@code mvn verify -Pfull}.
 */
@ParameterizedClass
@MethodSource("io.pigeonhole.pairs.Pair#withoutAClassOfTheirOwn")
@Tag("full")
class FullMatrixIT extends SourceContract<JdbcContext> {
    private final Pair pair;

    FullMatrixIT(Pair pair) {
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
