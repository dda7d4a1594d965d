package io.pigeonhole.examples.chain;

/**
 * What a client does with one order.
 *
 * @param reference how it calls the order
 * @param key the idempotency key
 * @param customer whose it is
 * @param amount in cents
 * @param behaviour how it is sent
 * @param failsByException whether a simulated failure is an exception, or else an answer 500
 */
record PlannedOrder(
        String reference, String key, int customer, long amount, Behaviour behaviour, boolean failsByException) {
    /** How an order is sent. */
    enum Behaviour {
        /** Until it is answered. */
        ONCE,
        /** Again after the answer, at once and some time later. */
        REPEATED,
        /** Several times at the same time. */
        CONCURRENT,
        /** The service fails behind its writes at first; then the same key is sent again. */
        FAILED_FIRST,
        /** The service fails behind its writes, and the client gives up: nothing may stay of it. */
        GIVEN_UP
    }

    boolean isAccepted() {
        return behaviour != Behaviour.GIVEN_UP;
    }

    String body() {
        return new OrdersServlet.Request(reference, customer, amount).toJson();
    }

    String failure() {
        return failsByException ? OrdersServlet.EXCEPTION : OrdersServlet.ANSWER;
    }
}
