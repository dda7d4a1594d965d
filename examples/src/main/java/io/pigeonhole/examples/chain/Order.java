package io.pigeonhole.examples.chain;

import io.pigeonhole.core.outbox.OutboxMessage;
import tools.jackson.databind.json.JsonMapper;

/**
 * An order, as it goes from service to service.
 *
 * @param reference how the client calls it
 * @param customer whose it is: the ordering key everywhere
 * @param number counts the orders of the customer, from 1
 * @param amount in cents
 */
record Order(String reference, int customer, int number, long amount) {
    private static final JsonMapper JSON = JsonMapper.shared();

    /** One of so many messages fails at the first attempt, after everything was written. */
    private static final int FAILING = 100;

    String toJson() {
        return JSON.writeValueAsString(this);
    }

    static Order of(byte[] json) {
        return JSON.readValue(json, Order.class);
    }

    /** A message about it. */
    OutboxMessage to(Stage stage) {
        return OutboxMessage.to(stage.destination())
                .key(Integer.toString(customer))
                .type(stage.type())
                .contentType("application/json")
                .payload(toJson())
                .build();
    }

    /** Throws at the first attempt of some orders: what was written and appended before must be rolled back. */
    void failNowAndThen(int attempt) {
        if (attempt == 1 && Math.floorMod(reference.hashCode(), FAILING) == 0) {
            throw new SimulatedFailureException(reference + " fails at its first attempt");
        }
    }
}
