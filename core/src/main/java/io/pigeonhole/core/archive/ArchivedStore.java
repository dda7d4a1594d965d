package io.pigeonhole.core.archive;

import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * The store whose days an archive gets. An archive keeps days of one store only, and knows which: two stores have different
 * messages of the same day. Immutable.
 *
 * @param id the store's identity, as {@link io.pigeonhole.core.store.HistoryDays#storeId} gives it
 * @param lastExported the last day in UTC that the store has noted as exported; null where there is none. An archive that has
 *     never seen a store with such a day is not where the earlier days went, such as a directory whose disk is not mounted
 */
public record ArchivedStore(String id, @Nullable LocalDate lastExported) {}
