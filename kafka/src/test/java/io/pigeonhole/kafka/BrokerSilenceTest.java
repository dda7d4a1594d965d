package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

class BrokerSilenceTest {
    private double received;
    private long now;
    private final BrokerSilence silence = new BrokerSilence("source", "broker:9092", Duration.ofSeconds(3), () -> now);
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest") {
        @Override
        public synchronized Map<MetricName, ? extends Metric> metrics() {
            MetricName name = new MetricName("incoming-byte-total", "consumer-metrics", "", Map.of());
            return Map.of(name, new Metric() {
                @Override
                public MetricName metricName() {
                    return name;
                }

                @Override
                public Object metricValue() {
                    return received;
                }
            });
        }
    };

    private void pass(int seconds) {
        for (int i = 0; i < seconds; i++) {
            now += Duration.ofSeconds(1).toNanos();
            silence.look(consumer);
        }
    }

    @Test
    void brokerThatNeverAnswersIsAProblemAfterAMinute() {
        pass(59);
        assertThat(silence.problem()).isNull();
        pass(1);
        assertThat(silence.problem()).isEqualTo("no broker of broker:9092 has answered for 60 s");
        pass(30);
        assertThat(silence.problem()).contains("90 s");
    }

    @Test
    void anyAnswerEndsIt() {
        pass(100);
        received = 1;
        pass(1);
        assertThat(silence.problem()).isNull();
        pass(59);
        assertThat(silence.problem()).isNull();
        pass(1);
        assertThat(silence.problem()).isNotNull();
    }

    @Test
    void anotherConsumerThatReceivesNothingIsNoAnswer() {
        received = 1000;
        pass(30);
        received = 0;
        pass(60);
        assertThat(silence.problem()).isNotNull();
        received = 10;
        pass(1);
        assertThat(silence.problem()).isNull();
    }

    @Test
    void timeInWhichTheProcessStoodStillIsNoSilence() {
        received = 5;
        pass(1);
        now += Duration.ofHours(1).toNanos();
        pass(30);
        assertThat(silence.problem()).isNull();
    }

    @Test
    void consumerWithoutTheMetricSaysNothing() {
        MockConsumer<byte[], byte[]> without = new MockConsumer<>("earliest");
        now += Duration.ofHours(1).toNanos();
        silence.look(without);
        assertThat(silence.problem()).isNull();
    }
}
