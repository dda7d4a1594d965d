package io.pigeonhole.core.admin;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.Collection;

/** There is no consumer of this name. Nothing was done. */
public class UnknownConsumerException extends ConfigurationException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception that names the known ones.
     *
     * @param consumer the name that was asked for
     * @param known the names of the consumers that there are
     */
    public UnknownConsumerException(String consumer, Collection<String> known) {
        super("there is no consumer '" + consumer + "' here; "
                + (known.isEmpty() ? "none is registered" : "known are " + known));
    }
}
