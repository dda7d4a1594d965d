package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.RedeliveryWindow;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.GetQueueAttributesRequest;
import software.amazon.awssdk.services.sqs.model.GetQueueAttributesResponse;
import software.amazon.awssdk.services.sqs.model.GetQueueUrlRequest;
import software.amazon.awssdk.services.sqs.model.GetQueueUrlResponse;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.SqsException;

class SqsBoundsTest {
    private final Inbox<?> inbox =
            Inbox.builder("payments", InMemoryStore.create()).build();

    /** Answers what is asked of a queue, or refuses. */
    private record Answering(boolean allowed, Map<QueueAttributeName, String> attributes) implements SqsClient {
        @Override
        public GetQueueUrlResponse getQueueUrl(GetQueueUrlRequest request) {
            return GetQueueUrlResponse.builder().queueUrl("http://queue").build();
        }

        @Override
        public GetQueueAttributesResponse getQueueAttributes(GetQueueAttributesRequest request) {
            if (!allowed) {
                throw SqsException.builder().message("not allowed").build();
            }
            return GetQueueAttributesResponse.builder().attributes(attributes).build();
        }

        @Override
        public String serviceName() {
            return "sqs";
        }

        @Override
        public void close() {}
    }

    private RedeliveryWindow redeliveryWindow(boolean allowed, Map<QueueAttributeName, String> attributes) {
        return SqsSource.of(inbox, new Answering(allowed, attributes), "queue").redeliveryWindow();
    }

    @Test
    void boundsIsTheRetentionOfTheQueue() {
        assertThat(redeliveryWindow(true, Map.of(QueueAttributeName.MESSAGE_RETENTION_PERIOD, "1209600")))
                .isEqualTo(RedeliveryWindow.of(Duration.ofDays(14), "queue 'queue' (MessageRetentionPeriod)"));
    }

    @Test
    void boundsThatNobodyTellsIsUnknown() {
        assertThat(redeliveryWindow(true, Map.of()).kind()).isEqualTo(RedeliveryWindow.Kind.UNKNOWN);
        assertThat(redeliveryWindow(false, Map.of()).origin()).contains("SQS does not report: not allowed");
    }
}
