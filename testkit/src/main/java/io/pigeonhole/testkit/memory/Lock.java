package io.pigeonhole.testkit.memory;

/** What one transaction at a time can hold until it ends. */
sealed interface Lock {
    /** A message that was claimed and is in the ledger once the transaction commits. */
    record OfKey(Row row) implements Lock {}

    /** A message in work that was taken, leased or held. */
    record OfWork(Row row) implements Lock {}

    /** A dead letter that is dead-lettered, counted or reopened. */
    record OfLetter(Row row) implements Lock {}

    /** A work partition, against others that store or process messages of its keys. */
    record OfWorkPartition(short consumer, int workPartition) implements Lock {}

    /** A work partition, against other workers. */
    record OfWorker(short consumer, int workPartition) implements Lock {}

    /** A run over the history, while a batch of it is under way. */
    record OfReplay(String name) implements Lock {}
}
