package io.pigeonhole.core.store;

import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Utf8;

/**
 * What a program says about a consumer when it registers it. All of it is fixed from then on, but for the deduplication,
 * which people can change.
 *
 * @param name the logical name, unique in the database, not blank, at most 200 characters
 * @param idForm what its ids are
 * @param order whether the messages of a key keep their order
 * @param workPartitions into how many work partitions its unfinished messages are split, from 1 to {@value #MOST_WORK_PARTITIONS}
 * @param deduplication how it distinguishes accepted messages from new ones
 */
public record ConsumerRegistration(
        String name, IdForm idForm, KeyOrder order, int workPartitions, Deduplication deduplication) {
    /** The most work partitions that a consumer can have. */
    public static final int MOST_WORK_PARTITIONS = 1024;

    /** The work partitions of a consumer that does not say otherwise. */
    public static final int STANDARD_WORK_PARTITIONS = 16;

    private static final int LONGEST_NAME = 200;

    /** Checks the name and the work partitions. */
    public ConsumerRegistration {
        if (name.isBlank() || name.length() > LONGEST_NAME || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a consumer needs a name of 1 to " + LONGEST_NAME
                    + " characters without NUL, not one of " + name.length());
        }
        Utf8.require("the name of a consumer", name);
        if (workPartitions < 1 || workPartitions > MOST_WORK_PARTITIONS) {
            throw new IllegalArgumentException("consumer '" + name + "': work partitions is " + workPartitions
                    + "; 1 to " + MOST_WORK_PARTITIONS + " are allowed");
        }
    }

    /**
     * A registration of a consumer that deduplicates by ids.
     *
     * @param name the logical name of the consumer
     * @param idForm what its ids are
     * @param order whether the messages of a key keep their order
     * @param workPartitions into how many work partitions its unfinished messages are split
     */
    public ConsumerRegistration(String name, IdForm idForm, KeyOrder order, int workPartitions) {
        this(name, idForm, order, workPartitions, Deduplication.IDS);
    }

    /**
     * A registration without order, with the standard number of work partitions.
     *
     * @param name the logical name of the consumer
     * @param idForm what its ids are
     */
    public ConsumerRegistration(String name, IdForm idForm) {
        this(name, idForm, KeyOrder.NONE, STANDARD_WORK_PARTITIONS);
    }
}
