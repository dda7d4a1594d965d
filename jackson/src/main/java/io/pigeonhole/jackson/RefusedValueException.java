package io.pigeonhole.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.exc.MismatchedInputException;

/** A value would silently become another one. The message says what was expected, and never the value. */
final class RefusedValueException extends MismatchedInputException {
    private static final long serialVersionUID = 1L;

    RefusedValueException(@Nullable JsonParser parser, String reason, Class<?> target) {
        super(parser, reason, target);
    }
}
