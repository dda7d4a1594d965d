package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.impl.LongStringHelper;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TakeoverDefectTest {
    private static boolean isIn(String product, String version) {
        return TakeoverDefect.isIn(Map.of(
                "product", LongStringHelper.asLongString(product), "version", LongStringHelper.asLongString(version)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.9.0", "3.10.8", "3.10.8-1.1", "3.11.0-rc.1", "3.11.4"})
    void brokersBeforeTheOneThatIsMendedHaveIt(String version) {
        assertThat(isIn("RabbitMQ", version)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"3.8.34", "3.11.5", "3.11.28", "3.13.7", "4.0.2", "4.2.0", "", "unknown", "99999999999.1.1"})
    void newerOnesDoNotAndOlderOnesAndUnknownOnesAreNotAsked(String version) {
        assertThat(isIn("RabbitMQ", version)).isFalse();
    }

    @Test
    void otherProductsDoNotHaveIt() {
        assertThat(isIn("qpid", "3.10.8")).isFalse();
        assertThat(isIn("LavinMQ", "3.10.8")).isFalse();
        assertThat(TakeoverDefect.isIn(Map.of())).isFalse();
        assertThat(TakeoverDefect.isIn(null)).isFalse();
    }

    private static boolean saysClassic(String argument, String queue) {
        return TakeoverDefect.saysClassic("PRECONDITION_FAILED - invalid arg '" + argument + "' for queue '" + queue
                + "' in vhost '/' of queue type");
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders", "'", "x-stream-offset", "'x-stream-offset'", "invalid arg 'x-stream-offset' for"})
    void kindIsToldByTheArgumentThatIsRefusedWhateverTheQueueIsCalled(String queue) {
        assertThat(saysClassic("x-stream-offset", queue)).isTrue();
        assertThat(saysClassic("x-cancel-on-ha-failover", queue)).isFalse();
    }

    @Test
    void refusalThatQuotesNothingSaysNothing() {
        assertThat(TakeoverDefect.saysClassic("PRECONDITION_FAILED")).isFalse();
    }
}
