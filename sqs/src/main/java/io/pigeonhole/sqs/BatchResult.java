package io.pigeonhole.sqs;

import io.pigeonhole.sqs.Received.Delivery;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;

/** What SQS answered about the single messages of a call. A call that succeeds may fail for each of them. */
final class BatchResult {
    private final List<Delivery> asked;
    private final List<BatchResultErrorEntry> failed;

    BatchResult(List<Delivery> asked, List<BatchResultErrorEntry> failed) {
        this.asked = asked;
        this.failed = failed;
    }

    /** Those that failed through no fault of ours, and may succeed later. */
    List<Delivery> unanswered() {
        return failed.stream()
                .filter(entry -> !isOurs(entry))
                .map(this::delivery)
                .toList();
    }

    /** Those for which SQS says that the fault is ours, and not that we ask too often: they are no longer ours. */
    List<Delivery> lost() {
        return failed.stream().filter(BatchResult::isOurs).map(this::delivery).toList();
    }

    /** Those that succeeded. */
    List<Delivery> done() {
        List<Delivery> others = failed.stream().map(this::delivery).toList();
        return asked.stream().filter(delivery -> !others.contains(delivery)).toList();
    }

    /** How many failed, and with which codes. */
    FailedEntriesException failure() {
        return new FailedEntriesException("SQS answers for " + failed.size() + " of " + asked.size() + " messages: "
                + failed.stream().flatMap(BatchResult::reason).distinct().collect(Collectors.joining(", ")));
    }

    private static Stream<String> reason(BatchResultErrorEntry entry) {
        return Stream.of(entry.code(), entry.message())
                .filter(Objects::nonNull)
                .reduce((code, message) -> code + " (" + message + ")")
                .stream();
    }

    /** SQS also calls it our fault that we ask too often. */
    private static boolean isOurs(BatchResultErrorEntry entry) {
        return Boolean.TRUE.equals(entry.senderFault()) && !SqsQueue.isPassing(entry.code());
    }

    private Delivery delivery(BatchResultErrorEntry entry) {
        return asked.get(Integer.parseInt(entry.id()));
    }
}
