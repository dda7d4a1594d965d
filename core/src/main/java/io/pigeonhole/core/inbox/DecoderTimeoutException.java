package io.pigeonhole.core.inbox;

/**
 * A decoder was interrupted because it took too long: the database may have ended the transaction meanwhile, so that nothing more is tried
 * in it.
 */
final class DecoderTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Envelope envelope;
    private final transient Failure failure;

    DecoderTimeoutException(Envelope envelope, HandlerTimeoutException cause) {
        super(cause);
        this.envelope = envelope;
        this.failure = Failure.ofDecoder(cause);
    }

    Envelope envelope() {
        return envelope;
    }

    Failure failure() {
        return failure;
    }
}
