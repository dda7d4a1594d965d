package io.pigeonhole.examples.chain;

/** A service fails on purpose, behind its writes and before its commit. */
final class SimulatedFailureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SimulatedFailureException(String message) {
        super(message, null, false, false);
    }
}
