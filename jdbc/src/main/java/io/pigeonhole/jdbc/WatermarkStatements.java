package io.pigeonhole.jdbc;

import java.sql.SQLException;

/** The statements about watermarks for PostgreSQL, whole. See {@link PostgresStatements}. */
final class WatermarkStatements {
    /**
     * Whether the consumer is paused, in one row with each watermark, or with none. The transaction gets its number here, as
     * others do by their claims: it must have it before its first row of the history has one, or whoever waits for all that
     * had begun before a moment would not see it. Parameters: sources, numbers, consumer.
     */
    static final String WATERMARKS = """
            SELECT c.paused, w.source, w.partition_number, w.topic_identity, w.epoch, w.position, w.leader_epoch
            FROM inbox_consumer AS c
            LEFT JOIN (
                unnest(CAST(? AS text[]), CAST(? AS integer[])) AS u (source, number)
                JOIN inbox_watermark AS w ON w.source = u.source AND w.partition_number = u.number
            ) ON w.consumer_id = c.id
            WHERE c.id = ? AND pg_current_xact_id() IS NOT NULL""";

    static final String PREAMBLE_AND_WATERMARKS = PostgresStatements.PREAMBLE + ";\n" + WATERMARKS;

    /** No number. The database repeats it in its error, in whichever language, which no error of a trigger says. */
    private static final String MOVED = "pigeonhole: watermarks that were where they had been read:";

    /** The SQLSTATE, invalid_text_representation, of what is no number. */
    private static final String NO_NUMBER = "22P02";

    /**
     * Moves watermarks, proves the transaction alive as {@link PostgresStatements#PROVE_AND_COMMIT} does, and commits. Fails
     * as {@link #isMoved} tells unless every watermark still was where it had been read. Parameters: sources, numbers, assignments,
     * old positions, new positions, leader epochs, consumer, how many.
     */
    static final String ADVANCE_AND_COMMIT = """
            WITH a AS (
                UPDATE inbox_watermark AS w
                SET position = u.next, leader_epoch = u.leader, updated_at = clock_timestamp()
                FROM unnest(CAST(? AS text[]), CAST(? AS integer[]), CAST(? AS bigint[]), CAST(? AS bigint[]),
                    CAST(? AS bigint[]), CAST(? AS integer[])) AS u (source, number, epoch, before, next, leader)
                WHERE w.consumer_id = ? AND w.source = u.source AND w.partition_number = u.number
                    AND w.epoch = u.epoch AND w.position = u.before
                RETURNING w.position
            )
            SELECT %s
                WHEN count(*) <> ? THEN CAST(CAST('%s ' || count(*) AS integer) AS text) END,
                set_config('statement_timeout', '0', true)
            FROM a;
            COMMIT""".formatted(PostgresStatements.PROOF, MOVED);

    static final String PREAMBLE_ADVANCE_AND_COMMIT = PostgresStatements.PREAMBLE + ";\n" + ADVANCE_AND_COMMIT;

    /**
     * The next assignment of a partition, unless its position is that of another log or the consumer deduplicates otherwise.
     * Parameters: source, number, log, consumer, deduplication.
     */
    static final String ACQUIRE = """
            INSERT INTO inbox_watermark AS w (consumer_id, source, partition_number, topic_identity, position, leader_epoch,
                epoch, updated_at)
            SELECT c.id, ?, ?, ?, -1, -1, 1, clock_timestamp()
            FROM inbox_consumer AS c
            WHERE c.id = ? AND c.deduplication = ?
            ON CONFLICT (consumer_id, source, partition_number) DO UPDATE
            SET epoch = w.epoch + 1, topic_identity = excluded.topic_identity, updated_at = excluded.updated_at
            WHERE w.topic_identity = excluded.topic_identity OR w.position < 0
            RETURNING epoch, position, leader_epoch""";

    /** Why nothing was acquired. Parameters: source, number, consumer. */
    static final String WHY_NOT_ACQUIRED = """
            SELECT c.deduplication, w.topic_identity
            FROM inbox_consumer AS c
            LEFT JOIN inbox_watermark AS w ON w.consumer_id = c.id AND w.source = ? AND w.partition_number = ?
            WHERE c.id = ?""";

    private WatermarkStatements() {}

    /** Whether a commit failed because a watermark was not where it had been read, and not by a trigger's error. */
    static boolean isMoved(SQLException failure) {
        return NO_NUMBER.equals(failure.getSQLState())
                && String.valueOf(failure.getMessage()).contains(MOVED);
    }
}
