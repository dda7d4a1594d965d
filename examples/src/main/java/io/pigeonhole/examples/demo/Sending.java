package io.pigeonhole.examples.demo;

/**
 * One record that goes to Kafka.
 *
 * @param payment which payment, by its number in the plan
 * @param route how it gets there
 */
record Sending(int payment, Route route) {
    enum Route {
        /** The first time, by the first producer, keyed by its account. */
        FIRST,
        /** A duplicate by the same producer. */
        AGAIN,
        /** A duplicate by the second producer. */
        SECOND_PRODUCER,
        /** A duplicate by the second producer, without a key: it may land in another partition than the first. */
        SECOND_PRODUCER_WITHOUT_KEY
    }
}
