package io.pigeonhole.sqs;

import io.pigeonhole.core.relay.Publication;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResponse;

/** Messages that are sent in one request, by their places in the call. Immutable. */
record SendRequest(Map<Integer, EntryMaker.Entry> entries) {
    /** Of all messages of a request, so that it is taken where the limit is that of earlier years, too. */
    private static final int MOST_BYTES = 256 << 10;

    private static final Duration LEAST_TIMEOUT = Duration.ofMillis(1);

    /** The fewest requests, in the order of the messages; what is larger than a request should be has one of its own. */
    static List<SendRequest> of(Map<Integer, EntryMaker.Entry> entries) {
        List<SendRequest> requests = new ArrayList<>();
        Map<Integer, EntryMaker.Entry> next = new HashMap<>();
        int bytes = 0;
        for (Map.Entry<Integer, EntryMaker.Entry> each : entries.entrySet()) {
            int more = each.getValue().bytes();
            if (!next.isEmpty() && (next.size() == SqsQueue.MOST_AT_ONCE || bytes + more > MOST_BYTES)) {
                requests.add(new SendRequest(Map.copyOf(next)));
                next.clear();
                bytes = 0;
            }
            next.put(each.getKey(), each.getValue());
            bytes += more;
        }
        if (!next.isEmpty()) {
            requests.add(new SendRequest(Map.copyOf(next)));
        }
        return requests;
    }

    /**
     * Sends the messages.
     *
     * @param until of {@link System#nanoTime}
     * @return what became of each
     */
    Map<Integer, Publication> send(SqsClient client, QueueUrl url, long until) {
        long left = until - System.nanoTime();
        if (left <= 0) {
            return all(new Publication.Unavailable(new TimeoutException("not sent within the time for publishing")));
        }
        Duration timeout = Duration.ofNanos(Math.max(LEAST_TIMEOUT.toNanos(), left));
        List<SendMessageBatchRequestEntry> withPlaces = entries.entrySet().stream()
                .map(each -> each.getValue().value().toBuilder()
                        .id("" + each.getKey())
                        .build())
                .toList();
        try {
            return outcomes(url.call(
                    timeout,
                    queue -> client.sendMessageBatch(request -> request.queueUrl(queue)
                            .entries(withPlaces)
                            .overrideConfiguration(SqsQueue.within(timeout)))));
        } catch (RuntimeException e) {
            if (!SendErrors.isOfAMessage(e)) {
                return all(new Publication.Unavailable(e));
            }
            return entries.size() == 1 ? all(new Publication.Refused(e)) : sendOneByOne(client, url, until);
        }
    }

    /** SQS has refused the request for one of its messages, and does not say which. */
    private Map<Integer, Publication> sendOneByOne(SqsClient client, QueueUrl url, long until) {
        Map<Integer, Publication> outcomes = new HashMap<>();
        entries.forEach(
                (place, entry) -> outcomes.putAll(new SendRequest(Map.of(place, entry)).send(client, url, until)));
        return outcomes;
    }

    private Map<Integer, Publication> outcomes(SendMessageBatchResponse response) {
        Map<Integer, Publication> outcomes = new HashMap<>(all(new Publication.Unavailable(
                new FailedEntriesException("SQS does not say what became of the message"))));
        response.successful().forEach(entry -> outcomes.put(Integer.valueOf(entry.id()), Publication.CONFIRMED));
        response.failed().forEach(entry -> outcomes.put(Integer.valueOf(entry.id()), SendErrors.outcome(entry)));
        return outcomes;
    }

    /** The same for all of them. */
    Map<Integer, Publication> all(Publication outcome) {
        Map<Integer, Publication> outcomes = new HashMap<>();
        entries.keySet().forEach(place -> outcomes.put(place, outcome));
        return outcomes;
    }
}
