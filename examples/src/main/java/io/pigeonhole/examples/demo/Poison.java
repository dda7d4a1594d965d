package io.pigeonhole.examples.demo;

/** Why a payment fails, each time that it is tried. */
enum Poison {
    /** It does not. */
    NONE,
    /** Its account does not exist: the write finds no row. */
    UNKNOWN_ACCOUNT,
    /** Its payload ends in the middle. */
    BROKEN_JSON,
    /** Its amount is negative: the handler refuses it for good. */
    NEGATIVE_AMOUNT
}
