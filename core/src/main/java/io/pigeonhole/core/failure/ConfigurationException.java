package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/** Something is set up wrongly: the program or the schema has to be changed, trying again does not help. */
public class ConfigurationException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text.
     *
     * @param message which setting is wrong and what it should be
     */
    public ConfigurationException(String message) {
        super(message, null);
    }

    /**
     * An exception with a text and a cause.
     *
     * @param message which setting is wrong and what it should be
     * @param cause what caused it, or null
     */
    public ConfigurationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
