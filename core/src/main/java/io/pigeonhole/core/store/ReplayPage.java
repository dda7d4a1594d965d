package io.pigeonhole.core.store;

import java.util.List;

/**
 * A part of the history that a run is to handle.
 *
 * @param entries those that the run wants, in their order; maybe none, although more follow
 * @param scanned the place up to which the history was looked through: where the run is once these are handled
 * @param last whether nothing follows
 */
public record ReplayPage(List<HistoryEntry> entries, long scanned, boolean last) {}
