package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.PigeonholeException;

/** Why a message in work waits on. */
final class UnknownTypeInWorkException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    UnknownTypeInWorkException(String detail) {
        super(detail, null);
    }
}
