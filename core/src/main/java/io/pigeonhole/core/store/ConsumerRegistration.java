package io.pigeonhole.core.store;

/**
 * What a program says of a consumer when it starts.
 *
 * @param name the logical name, unique in the database, not blank, at most 200 characters
 * @param idForm what the ids of its messages are
 */
public record ConsumerRegistration(String name, IdForm idForm) {
    private static final int LONGEST_NAME = 200;

    /** Checks the name. */
    public ConsumerRegistration {
        if (name.isBlank() || name.length() > LONGEST_NAME || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a consumer needs a name of 1 to " + LONGEST_NAME
                    + " characters without NUL, not one of " + name.length());
        }
    }
}
