package io.pigeonhole.jdbc;

/**
 * What {@link AdminStatement} says in PostgreSQL where people look at messages, whole, under the same rules as
 * {@link PostgresStatements}. Instants travel as text, which every driver can carry; {@code infinity} stands for none.
 */
final class PostgresReadStatements {
    /** What a list shows of a message, in the order of {@link AdminRows#label}. */
    private static final String LABEL = """
            m.id, m.message_key, m.source, m.message_id, m.type, m.ordering_key, m.origin,
            coalesce(octet_length(m.payload), -1)""";

    private static final String OF_WORK = """
            , m.status, m.attempts, m.due_at, m.lease_owner, m.lease_until, m.received_at, m.last_error""";

    private static final String OF_LETTER = """
            , m.reason, m.detail, m.claimed, m.blocks, m.attempts, m.seen_again, m.received_at, m.died_at""";

    private static final String MESSAGE = """
            , m.source, m.message_id, m.type, m.ordering_key, m.headers, m.content_type, m.payload, m.origin""";

    /** The consumers by name. Parameters: a name, or null for all. */
    static final String CONSUMERS = """
            SELECT c.id, c.name, c.digest_below, c.id_form, c.key_order, c.lanes, c.deduplication
            FROM inbox_consumer AS c
            WHERE c.name = coalesce(CAST(? AS text), c.name)
            ORDER BY c.name""";

    /** The same columns, and how they are doing. */
    static final String SUMMARIES = """
            SELECT c.id, c.name, c.digest_below, c.id_form, c.key_order, c.lanes, c.deduplication, c.paused,
                coalesce(w.received, 0), coalesce(w.parked, 0), coalesce(w.leased, 0),
                coalesce(d.dead, 0), coalesce(d.blocking, 0), w.overdue
            FROM inbox_consumer AS c
            LEFT JOIN (
                SELECT consumer_id, count(*) FILTER (WHERE status = 'received') AS received,
                    count(*) FILTER (WHERE status = 'parked') AS parked,
                    count(*) FILTER (WHERE status = 'leased') AS leased,
                    CAST(extract(epoch FROM clock_timestamp() - min(due_at) FILTER (WHERE status <> 'leased')) * 1000000
                        AS bigint) AS overdue
                FROM inbox_work
                GROUP BY consumer_id
            ) AS w ON w.consumer_id = c.id
            LEFT JOIN (
                SELECT consumer_id, count(*) AS dead, count(*) FILTER (WHERE blocks) AS blocking
                FROM inbox_dead_letter
                GROUP BY consumer_id
            ) AS d ON d.consumer_id = c.id
            ORDER BY c.name""";

    /** Parameters: consumer, status, type, source, ordering key, error, since, until, id to begin behind; limit. */
    static final String WORK = "SELECT " + LABEL + OF_WORK + """

            FROM inbox_work AS m, (
                SELECT CAST(? AS smallint) AS consumer_id, CAST(? AS text) AS status, CAST(? AS text) AS type,
                    CAST(? AS text) AS source, CAST(? AS bytea) AS ordering_key, CAST(? AS text) AS error,
                    CAST(? AS timestamptz) AS since, CAST(? AS timestamptz) AS until, CAST(? AS bigint) AS after
            ) AS p
            WHERE m.consumer_id = p.consumer_id AND m.id > p.after
                AND (p.status IS NULL OR m.status = p.status)
                AND (p.type IS NULL OR m.type = p.type)
                AND (p.source IS NULL OR m.source = p.source)
                AND (p.ordering_key IS NULL OR m.ordering_key = p.ordering_key)
                AND (p.error IS NULL OR strpos(lower(m.last_error), lower(p.error)) > 0)
                AND m.received_at >= p.since AND m.received_at < p.until
            ORDER BY m.id
            LIMIT ?""";

    /** Parameters: consumer, reason, type, source, ordering key, error, since, until. */
    private static final String LETTERS = """

            FROM inbox_dead_letter AS m, (
                SELECT CAST(? AS smallint) AS consumer_id, CAST(? AS text) AS reason, CAST(? AS text) AS type,
                    CAST(? AS text) AS source, CAST(? AS bytea) AS ordering_key, CAST(? AS text) AS error,
                    CAST(? AS timestamptz) AS since, CAST(? AS timestamptz) AS until
            ) AS p
            WHERE m.consumer_id = p.consumer_id
                AND (p.reason IS NULL OR m.reason = p.reason)
                AND (p.type IS NULL OR m.type = p.type)
                AND (p.source IS NULL OR m.source = p.source)
                AND (p.ordering_key IS NULL OR m.ordering_key = p.ordering_key)
                AND (p.error IS NULL OR strpos(lower(m.detail), lower(p.error)) > 0)
                AND m.died_at >= p.since AND m.died_at < p.until
            """;

    /** Parameters: those of the letters; when died and id to end before; limit. */
    static final String DEAD_LETTERS = "SELECT " + LABEL + OF_LETTER + LETTERS + """
                AND (m.died_at, m.id) < (CAST(? AS timestamptz), CAST(? AS bigint))
            ORDER BY m.died_at DESC, m.id DESC
            LIMIT ?""";

    /** Parameters: those of the letters; cutoff. */
    static final String COUNT_LETTERS = "SELECT count(*)" + LETTERS + """
                AND m.died_at <= CAST(? AS timestamptz)""";

    /** The oldest first. Parameters: those of the letters; cutoff; when died and id to begin behind; limit. */
    static final String PART = "SELECT m.id, m.message_key, m.lane, m.ordered, m.died_at" + LETTERS + """
                AND m.died_at <= CAST(? AS timestamptz)
                AND (m.died_at, m.id) > (CAST(? AS timestamptz), CAST(? AS bigint))
            ORDER BY m.died_at, m.id
            LIMIT ?""";

    /** One letter, with the same columns. Parameters: consumer, key. */
    static final String ONE_LETTER = """
            SELECT m.id, m.message_key, m.lane, m.ordered, m.died_at
            FROM inbox_dead_letter AS m
            WHERE m.consumer_id = ? AND m.message_key = ?""";

    /** Parameters: consumer, key. */
    static final String SHOW_WORK = "SELECT " + LABEL + OF_WORK + MESSAGE + """

            FROM inbox_work AS m
            WHERE m.consumer_id = ? AND m.message_key = ?""";

    /** Parameters: consumer, key. */
    static final String SHOW_LETTER = "SELECT " + LABEL + OF_LETTER + MESSAGE + """

            FROM inbox_dead_letter AS m
            WHERE m.consumer_id = ? AND m.message_key = ?""";

    /** Where the headers were not kept, none in the format of {@link HeaderFormat}. Parameters: consumer, key. */
    static final String SHOW_HISTORY = """
            SELECT m.processed_at, m.with_payload, m.source, m.message_id, m.type, m.ordering_key,
                coalesce(m.headers, decode('0100000000', 'hex')), m.content_type, m.payload, m.origin
            FROM inbox_history AS m
            WHERE m.consumer_id = ? AND m.message_key = ?
            ORDER BY m.processed_at DESC
            LIMIT 1""";

    /** The same in a part of the history. Formatted with: from when, until when. */
    static final String SHOW_HISTORY_BETWEEN =
            SHOW_HISTORY.replace("WHERE ", "WHERE m.processed_at >= '%1$s' AND m.processed_at < '%2$s' AND ");

    /** What the partitions of a table begin with. Found at first, because other tables begin with something else. Formatted with: the table. */
    private static final String BEGINNINGS = """
            WITH p AS MATERIALIZED (
                SELECT substring(pg_get_expr(c.relpartbound, c.oid) FROM '^FOR VALUES FROM [(]''([^'']+)''[)]') AS bound
                FROM pg_inherits AS i
                JOIN pg_class AS c ON c.oid = i.inhrelid
                WHERE i.inhparent = to_regclass('%s')
            )
            """;

    /** When the partitions of the history begin, the newest first, without those that have no beginning. */
    static final String BEGINNINGS_OF_HISTORY = BEGINNINGS.formatted("inbox_history") + """
            SELECT CAST(CAST(p.bound AS timestamptz) AS text)
            FROM p
            WHERE isfinite(CAST(p.bound AS timestamptz))
            ORDER BY CAST(p.bound AS timestamptz) DESC""";

    /** The smallest keys of the partitions of the ledger, the largest first, without those that have none. */
    static final String BEGINNINGS_OF_LEDGER = BEGINNINGS.formatted("inbox_ledger") + """
            SELECT CAST(CAST(p.bound AS uuid) AS text)
            FROM p
            WHERE p.bound IS NOT NULL
            ORDER BY CAST(p.bound AS uuid) DESC""";

    /** Parameters: consumer, key. */
    static final String SHOW_ACCEPTED =
            "SELECT accepted_at FROM inbox_ledger WHERE consumer_id = ? AND message_key = ?";

    /** The latest, in order. Parameters: consumer, key, limit. */
    static final String SHOW_ATTEMPTS = """
            SELECT a.started_at, a.number, a.node, a.duration_ms, a.error_class, a.message, a.stack
            FROM (
                SELECT * FROM inbox_attempt WHERE consumer_id = ? AND message_key = ? ORDER BY number DESC, id DESC LIMIT ?
            ) AS a
            ORDER BY a.number, a.id""";

    private static final String AUDIT_ENTRY = """
            SELECT a.id, a.at, a.who, a.why, a.action, a.consumer, a.message_key, a.detail, a.affected
            FROM inbox_audit AS a
            """;

    /** The last first. Parameters: consumer's name, id to end before, limit. */
    static final String AUDIT = AUDIT_ENTRY + """
            WHERE a.consumer = ? AND a.id < ?
            ORDER BY a.id DESC
            LIMIT ?""";

    /** The last first. Parameters: consumer's name, key, limit. */
    static final String AUDIT_OF_MESSAGE = AUDIT_ENTRY + """
            WHERE a.consumer = ? AND a.message_key = ?
            ORDER BY a.id DESC
            LIMIT ?""";

    /**
     * Of each key the first of its messages in work and dead letters that block. One that has not failed, is due and has no
     * lease blocks nothing: it only waits for a worker. Parameters: consumer, twice; limit.
     */
    static final String BLOCKED_KEYS = """
            WITH m AS (
                SELECT ordering_key, id, message_key, status, due_at, last_error AS error, 1 AS in_work
                FROM inbox_work
                WHERE consumer_id = ? AND ordered
                UNION ALL
                SELECT ordering_key, id, message_key, 'dead', NULL, reason || ': ' || detail, 0
                FROM inbox_dead_letter
                WHERE consumer_id = ? AND blocks
            ), h AS (
                SELECT DISTINCT ON (m.ordering_key) m.*,
                    sum(m.in_work) OVER (PARTITION BY m.ordering_key) - m.in_work AS waiting
                FROM m
                ORDER BY m.ordering_key, m.id
            )
            SELECT h.ordering_key, h.message_key, h.status, h.due_at, h.error, h.waiting
            FROM h
            WHERE h.status <> 'received' OR h.due_at > clock_timestamp()
            ORDER BY h.waiting DESC, h.id
            LIMIT ?""";

    private PostgresReadStatements() {}
}
