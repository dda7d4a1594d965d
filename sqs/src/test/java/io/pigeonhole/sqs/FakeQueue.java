package io.pigeonhole.sqs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequest;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchResponse;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequest;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchResponse;
import software.amazon.awssdk.services.sqs.model.GetQueueAttributesRequest;
import software.amazon.awssdk.services.sqs.model.GetQueueAttributesResponse;
import software.amazon.awssdk.services.sqs.model.GetQueueUrlRequest;
import software.amazon.awssdk.services.sqs.model.GetQueueUrlResponse;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueDoesNotExistException;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageResponse;

/** A FIFO queue in memory, and its client: receives wait until a message is visible, or until the test ends all waits. */
final class FakeQueue implements SqsClient {
    static final String NAME = "notes.fifo";

    /** What the next receives throw; null lets one pass. */
    final Queue<Supplier<? extends Throwable>> receives = new ConcurrentLinkedQueue<>();

    /** Whether it can be looked up by its name. */
    volatile boolean isThere = true;

    /** How often somebody looked it up. */
    final AtomicInteger lookUps = new AtomicInteger();

    /** How many messages each call was about that changed visibilities. */
    final Queue<Integer> changed = new ConcurrentLinkedQueue<>();

    /** How SQS fails to delete a message, by its id, in a call that succeeds; null where it deletes it. */
    volatile Function<String, @Nullable BatchResultErrorEntry> deletions = id -> null;

    /** The same for changes of its visibility. */
    volatile Function<String, @Nullable BatchResultErrorEntry> changes = id -> null;

    private final List<Kept> messages = new ArrayList<>();
    private final Map<String, Kept> byReceipt = new HashMap<>();
    private int waiting;
    private int receipts;
    private boolean waitsEnd;
    private volatile @Nullable Runnable whenDeleted;
    private volatile @Nullable Runnable whenHidden;

    private static final class Kept {
        private final String id;
        private final String group;
        private final Consumer<Message.Builder> change;
        private int receives;
        private boolean hidden;

        private Kept(String id, String group, Consumer<Message.Builder> change) {
            this.id = id;
            this.group = group;
            this.change = change;
        }
    }

    void send(String id, String group) {
        send(id, group, message -> {});
    }

    synchronized void send(String id, String group, Consumer<Message.Builder> change) {
        messages.add(new Kept(id, group, change));
        notifyAll();
    }

    /** Called at each deletion, before anything is deleted. */
    void whenDeleted(Runnable action) {
        whenDeleted = action;
    }

    /** Called at each change of visibilities, before anything is changed. */
    void whenHidden(Runnable action) {
        whenHidden = action;
    }

    /** Receives that wait now, and all later ones, answer that there is nothing. */
    synchronized void endWaits() {
        waitsEnd = true;
        notifyAll();
    }

    synchronized int waiting() {
        return waiting;
    }

    synchronized int receivesOf(String id) {
        return messages.stream().filter(kept -> kept.id.equals(id)).findFirst().orElseThrow().receives;
    }

    synchronized long visible() {
        return messages.stream().filter(kept -> !kept.hidden).count();
    }

    synchronized long left() {
        return messages.size();
    }

    @Override
    public ReceiveMessageResponse receiveMessage(ReceiveMessageRequest request) {
        Supplier<? extends Throwable> failure = receives.poll();
        if (failure != null) {
            FakeQueue.<RuntimeException>sneak(failure.get());
        }
        return receive();
    }

    private synchronized ReceiveMessageResponse receive() {
        Kept next = next();
        waiting++;
        while (next == null && !waitsEnd) {
            try {
                wait();
            } catch (InterruptedException e) {
                waiting--;
                throw new IllegalStateException("interrupted", e);
            }
            next = next();
        }
        waiting--;
        List<Message> answer = new ArrayList<>();
        for (; next != null && answer.size() < 10; next = next(next.group)) {
            next.hidden = true;
            next.receives++;
            answer.add(message(next));
        }
        return ReceiveMessageResponse.builder().messages(answer).build();
    }

    /** The first visible message of a group of which nobody has one. */
    private @Nullable Kept next() {
        return messages.stream()
                .filter(kept -> !kept.hidden)
                .filter(kept -> messages.stream().noneMatch(other -> other.hidden && other.group.equals(kept.group)))
                .findFirst()
                .orElse(null);
    }

    private @Nullable Kept next(String group) {
        return messages.stream()
                .filter(kept -> !kept.hidden && kept.group.equals(group))
                .findFirst()
                .orElse(null);
    }

    private Message message(Kept kept) {
        String receipt = "receipt-" + receipts++;
        byReceipt.put(receipt, kept);
        Message.Builder message = Message.builder()
                .messageId(kept.id)
                .receiptHandle(receipt)
                .body(kept.id)
                .attributes(Map.of(
                        MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT,
                        "" + kept.receives,
                        MessageSystemAttributeName.MESSAGE_GROUP_ID,
                        kept.group))
                .messageAttributes(Map.of(
                        "message-id",
                        MessageAttributeValue.builder()
                                .dataType("String")
                                .stringValue(kept.id)
                                .build()));
        kept.change.accept(message);
        return message.build();
    }

    @Override
    public ChangeMessageVisibilityBatchResponse changeMessageVisibilityBatch(
            ChangeMessageVisibilityBatchRequest request) {
        Runnable action = whenHidden;
        if (action != null) {
            action.run();
        }
        changed.add(request.entries().size());
        List<BatchResultErrorEntry> failed = new ArrayList<>();
        synchronized (this) {
            for (ChangeMessageVisibilityBatchRequestEntry entry : request.entries()) {
                Kept kept = byReceipt.get(entry.receiptHandle());
                if (kept != null && fails(changes, kept, entry.id(), failed)) {
                    continue;
                }
                if (kept != null && entry.visibilityTimeout() == 0) {
                    kept.hidden = false;
                }
            }
            notifyAll();
        }
        return ChangeMessageVisibilityBatchResponse.builder().failed(failed).build();
    }

    @Override
    public DeleteMessageBatchResponse deleteMessageBatch(DeleteMessageBatchRequest request) {
        Runnable action = whenDeleted;
        if (action != null) {
            action.run();
        }
        List<BatchResultErrorEntry> failed = new ArrayList<>();
        synchronized (this) {
            for (DeleteMessageBatchRequestEntry entry : request.entries()) {
                Kept kept = byReceipt.get(entry.receiptHandle());
                if (kept == null || !fails(deletions, kept, entry.id(), failed)) {
                    messages.remove(kept);
                }
            }
            notifyAll();
        }
        return DeleteMessageBatchResponse.builder().failed(failed).build();
    }

    private static boolean fails(
            Function<String, @Nullable BatchResultErrorEntry> failures,
            Kept kept,
            String entry,
            List<BatchResultErrorEntry> failed) {
        BatchResultErrorEntry failure = failures.apply(kept.id);
        if (failure != null) {
            failed.add(failure.toBuilder().id(entry).build());
        }
        return failure != null;
    }

    @Override
    public GetQueueUrlResponse getQueueUrl(GetQueueUrlRequest request) {
        lookUps.incrementAndGet();
        if (!isThere) {
            throw QueueDoesNotExistException.builder().statusCode(400).build();
        }
        return GetQueueUrlResponse.builder().queueUrl("https://queues/" + NAME).build();
    }

    @Override
    public GetQueueAttributesResponse getQueueAttributes(GetQueueAttributesRequest request) {
        throw new IllegalStateException("the token server is away");
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    @Override
    public String serviceName() {
        return "sqs";
    }

    @Override
    public void close() {}
}
