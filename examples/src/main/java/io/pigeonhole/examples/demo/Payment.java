package io.pigeonhole.examples.demo;

/**
 * What the messages say: move this much to that account.
 *
 * @param account the account's number
 * @param amount the amount in cents
 */
record Payment(long account, long amount) {
    String toJson() {
        return "{\"account\":" + account + ",\"amount\":" + amount + "}";
    }
}
