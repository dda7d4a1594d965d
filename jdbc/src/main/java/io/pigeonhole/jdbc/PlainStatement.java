package io.pigeonhole.jdbc;

/**
 * A statement of the machinery for databases without PostgreSQL's abilities, whole. A {@link Dialect} may give another text
 * for it, with the same parameters and the same columns in the answer.
 *
 * <p>In a text, <code>{(?, ?)}</code> is repeated with commas between as often as there are rows, <code>{?}</code> as often as
 * there are values. Instants are parameters and columns without a time zone, in UTC. Keys and hashes are 16 bytes.
 */
public interface PlainStatement {
    /**
     * The statement's name.
     *
     * @return upper case with underscores
     */
    String name();

    /**
     * The text for databases that need no other.
     *
     * @return SQL with {@code ?} for each parameter
     */
    String standard();
}
