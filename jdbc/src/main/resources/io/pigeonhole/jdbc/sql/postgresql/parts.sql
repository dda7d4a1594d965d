-- What several statements of PostgreSQL have in common.

-- part: work_item
-- The columns of an unfinished message.
w.id, w.message_key, w.attempts, w.retried,
CAST(date_part('epoch', clock_timestamp() - w.retry_since) * 1000000 AS bigint), w.by_lease, w.lease_token,
w.source, w.message_id, w.type, w.ordering_key, w.headers, w.content_type, w.payload, w.origin

-- part: attempt_values
-- The columns of an attempt; all are NULL where there was none.
(VALUES (CAST(:number AS integer), CAST(:node AS text), CAST(:duration AS bigint), CAST(:error_class AS text), CAST(:message AS text),
    CAST(:stack AS text))) AS a (number, node, duration, error_class, message, stack)

-- part: add_attempt
-- Notes an attempt at a message. From the message and the attempt.
INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms, error_class,
    message, stack)
SELECT consumer_id, message_key, a.number, a.node, clock_timestamp() - a.duration * interval '1 millisecond',
    a.duration, a.error_class, a.message, a.stack

-- part: separator
-- Stands between the values in a text of settings; a value that has it itself, such as a role's name, is not put back.
E'\x1f'

-- part: session_now
-- What handlers may change, as one text.
concat_ws({separator}, current_setting('session_authorization'), current_setting('role'), current_setting('search_path'),
    current_setting('row_security'), current_setting('statement_timeout'), current_setting('lock_timeout'),
    current_setting('synchronous_commit'), current_setting('idle_in_transaction_session_timeout'))

-- part: session_before
-- What the session has of the settings that the engine changes; it stands behind session_now in what is kept.
concat_ws({separator}, current_setting('idle_in_transaction_session_timeout'), current_setting('synchronous_commit'),
    current_setting('lock_timeout'), current_setting('statement_timeout'))

-- part: statement_timeout_of_handlers
split_part(current_setting('pigeonhole.session'), {separator}, 5)

-- part: idle_limit_before
split_part(current_setting('pigeonhole.session'), {separator}, 9)

-- part: synchronous_commit_before
split_part(current_setting('pigeonhole.session'), {separator}, 10)

-- part: lock_timeout_before
split_part(current_setting('pigeonhole.session'), {separator}, 11)

-- part: statement_timeout_before
split_part(current_setting('pigeonhole.session'), {separator}, 12)

-- part: set_level
-- It must come before the first snapshot.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE

-- part: settings
-- At the beginning of a transaction: what handlers find then is kept, with what the session had before of the settings that the engine
-- changes, in a setting of ours that lives as long as the transaction. A synchronous_commit that promises more than "on" stays. A
-- statement has its limit unless somebody has set another one. A transaction_timeout, which PostgreSQL knows since version 17, would end
-- a batch whose messages each keep their limits, and does not hold.
SELECT set_config('idle_in_transaction_session_timeout', :idle_limit, true),
       CASE WHEN current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')
           THEN set_config('synchronous_commit', 'on', true) END,
       CASE WHEN current_setting('statement_timeout') = '0' THEN set_config('statement_timeout', :statement_limit, true) END,
       CASE WHEN current_setting('transaction_timeout', true) <> '0'
           THEN set_config('transaction_timeout', '0', true) END,
       set_config('pigeonhole.session', concat_ws({separator}, {session_now}, b.v), true)

-- part: from_before
-- Behind the settings and what else is to be set with them.
FROM (SELECT {session_before} AS v OFFSET 0) AS b

-- part: handlers_limit
-- The handlers' statement_timeout again.
set_config('statement_timeout', {statement_timeout_of_handlers}, true)

-- part: handlers_lock_timeout
set_config('lock_timeout', {lock_timeout_before}, true)

-- part: handlers_limits
{handlers_lock_timeout}, {handlers_limit}

-- part: before_commit
-- A COMMIT that waits for a standby must not be cancelled: it would be reported as done before the standby has it. Where a person cancels
-- the wait, the server says so in a warning, which has to be sent.
set_config('statement_timeout', '0', true),
    CASE current_setting('client_min_messages') WHEN 'error' THEN set_config('client_min_messages', 'warning', true) END

-- part: own_limit
-- The limit for statements of ours where the session has one of its own, which is meant for the application's: that one, but at least
-- ten minutes. A statement of ours that is cancelled would be so each time anew.
set_config('statement_timeout', CASE {statement_timeout_before} WHEN '0' THEN '0'
    ELSE CAST(CAST(extract(epoch FROM greatest(interval '10 minutes', CAST({statement_timeout_before} AS interval))) * 1000 AS bigint) AS text)
    END, true)

-- part: limits_of_wait
-- What a statement has that waits for others until its end: how long it waits, and our own limit.
set_config('lock_timeout', :timeout, true), {own_limit}

-- part: as_before
-- Whether the session is what it was; without a transaction of ours there is nothing to compare with.
(current_setting('pigeonhole.session') = ''
    OR starts_with(current_setting('pigeonhole.session'), {session_now} || {separator}))

-- part: proof
-- The beginning of a CASE that fails unless the transaction is ours and the session as it was: with 55P02 where the setting is gone with
-- the transaction that it was made in, and with 25001 where a handler has changed the session unseen, in every transaction that has
-- read something. These are states such as a trigger of a deferred constraint, which runs in the same round trip, does not raise: those
-- of names and tables were taken for ours, and the trigger's message stopped its inbox.
CASE WHEN current_setting('pigeonhole.session') = '' THEN set_config('server_version', '', true)
    WHEN NOT ({as_before}) THEN set_config('transaction_isolation', 'serializable', true)
