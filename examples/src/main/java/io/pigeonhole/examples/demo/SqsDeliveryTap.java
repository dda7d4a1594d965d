package io.pigeonhole.examples.demo;

import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageResponse;

/**
 * Writes down every message that is received from SQS, before anything else sees it.
 *
 * @param log gets a line for each message
 */
public record SqsDeliveryTap(DeliveryLog log) implements ExecutionInterceptor {
    @Override
    public void afterUnmarshalling(Context.AfterUnmarshalling context, ExecutionAttributes attributes) {
        if (context.response() instanceof ReceiveMessageResponse received && received.hasMessages()) {
            log.write("-\n".repeat(received.messages().size()));
        }
    }
}
