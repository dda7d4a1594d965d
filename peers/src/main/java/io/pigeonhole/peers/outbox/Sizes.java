package io.pigeonhole.peers.outbox;

/**
 * How much is measured.
 *
 * @param bare events without a database
 * @param relayed events by Pigeonhole
 * @param byPeers events by the others, which are slower
 * @param transactions business transactions
 * @param deferred messages of an inbox
 * @param rounds counted rounds
 * @param loadSeconds how long events come under load
 * @param idleEvents events one at a time
 * @param idleSeconds how long a node without work is looked at
 */
record Sizes(
        int bare,
        int relayed,
        int byPeers,
        int transactions,
        int deferred,
        int rounds,
        int loadSeconds,
        int idleEvents,
        int idleSeconds) {
    static final Sizes FULL = new Sizes(200_000, 80_000, 10_000, 20_000, 100_000, 5, 15, 200, 10);
    static final Sizes QUICK = new Sizes(100_000, 40_000, 4_000, 10_000, 50_000, 2, 8, 100, 10);

    String describe() {
        return bare + " without a database, " + relayed + " by Pigeonhole, " + byPeers + " by the others, each of "
                + Event.BYTES + " bytes with one of " + Event.KEYS + " keys; 100 in a transaction, by 2 threads; "
                + transactions
                + " business transactions and " + deferred + " messages of an inbox by 4 threads";
    }
}
