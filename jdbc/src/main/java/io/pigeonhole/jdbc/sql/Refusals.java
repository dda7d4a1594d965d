package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import java.sql.SQLException;

/** Turns what the database refused into the exceptions of the store SPI. */
public final class Refusals {
    private Refusals() {}

    public static StoreException of(ErrorClass errorClass, String doing, SQLException failure) {
        return new StoreException(errorClass, describe(doing, failure), ErrorsWithoutValues.of(failure));
    }

    /** For work that the store does by itself, away from messages. */
    public static PigeonholeException byItself(Errors errors, String doing, SQLException failure) {
        ErrorClass errorClass = errors.classify(failure);
        return errorClass == ErrorClass.UNAVAILABLE
                ? new StoreUnavailableException(describe(doing, failure), ErrorsWithoutValues.of(failure))
                : of(errorClass, doing, failure);
    }

    /** Without the values of parameters, which may be those of a payload. */
    public static String describe(String doing, SQLException failure) {
        String code = failure.getErrorCode() == 0 ? "" : ", code " + failure.getErrorCode();
        return "the database refused " + ErrorsWithoutValues.bounded(doing) + ": " + ErrorsWithoutValues.text(failure)
                + " (SQLSTATE " + failure.getSQLState() + code + ")";
    }
}
