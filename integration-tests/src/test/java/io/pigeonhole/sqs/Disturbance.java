package io.pigeonhole.sqs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.SdkResponse;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequest;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequest;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchResponse;

/** Sees the calls of a client, and lets single messages of some of them fail as SQS can. */
final class Disturbance implements ExecutionInterceptor {
    private static final ExecutionAttribute<String> REFUSED = new ExecutionAttribute<>("refused");

    private final Set<String> deleted = ConcurrentHashMap.newKeySet();
    private final List<String> hidings = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger toRefuse = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private boolean doneAllTheSame;

    /** Of each of so many calls the first message is not deleted. */
    Disturbance refusingTheFirstDeletions(int calls) {
        toRefuse.set(calls);
        return this;
    }

    /** Of each of so many calls the first message is deleted, but the answer says otherwise. */
    Disturbance losingTheFirstAnswersToDeletions(int calls) {
        doneAllTheSame = true;
        return refusingTheFirstDeletions(calls);
    }

    SqsClient client() {
        return SqsServer.client(SqsServer.shared().port(), this);
    }

    /** The receipts that were prolonged, as often as they were. */
    List<String> hidden() {
        return List.copyOf(hidings);
    }

    Set<String> deleted() {
        return Set.copyOf(deleted);
    }

    int refused() {
        return refused.get();
    }

    @Override
    public SdkRequest modifyRequest(Context.ModifyRequest context, ExecutionAttributes attributes) {
        SdkRequest request = context.request();
        if (request instanceof ChangeMessageVisibilityBatchRequest change) {
            for (ChangeMessageVisibilityBatchRequestEntry entry : change.entries()) {
                hidings.add(entry.receiptHandle());
            }
        }
        if (!(request instanceof DeleteMessageBatchRequest delete)) {
            return request;
        }
        delete.entries().forEach(entry -> deleted.add(entry.receiptHandle()));
        if (delete.entries().size() < 2 || toRefuse.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
            return request;
        }
        refused.incrementAndGet();
        List<DeleteMessageBatchRequestEntry> entries = delete.entries();
        attributes.putAttribute(REFUSED, entries.get(0).id());
        return doneAllTheSame
                ? request
                : delete.toBuilder().entries(entries.subList(1, entries.size())).build();
    }

    @Override
    public SdkResponse modifyResponse(Context.ModifyResponse context, ExecutionAttributes attributes) {
        @Nullable String id = attributes.getAttribute(REFUSED);
        if (id == null || !(context.response() instanceof DeleteMessageBatchResponse response)) {
            return context.response();
        }
        BatchResultErrorEntry failed = BatchResultErrorEntry.builder()
                .id(id)
                .code("InternalError")
                .senderFault(false)
                .build();
        return response.toBuilder()
                .successful(response.successful().stream()
                        .filter(entry -> !entry.id().equals(id))
                        .toList())
                .failed(failed)
                .build();
    }
}
