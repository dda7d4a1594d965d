package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.MessageKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change that somebody made, written in the transaction that made it.
 *
 * @param id its number; later changes have larger ones
 * @param at when, by the database's clock
 * @param author who, and why
 * @param action what; {@link AdminAction#UNKNOWN} where a newer version recorded it
 * @param consumer whose messages
 * @param key the message; null where it was not about one
 * @param detail what it was about, in words; for an unknown action, it begins with the name that is stored
 * @param affected how many messages, or consumers, were changed
 */
public record AuditEntry(
        long id,
        Instant at,
        Author author,
        AdminAction action,
        String consumer,
        @Nullable MessageKey key,
        String detail,
        long affected) {}
