package io.pigeonhole.benchmarks.suite;

/** A variant did something, but not the work it was to do. */
public final class InvariantBrokenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An exception that says what was expected and what came. */
    public InvariantBrokenException(String message) {
        super(message);
    }
}
