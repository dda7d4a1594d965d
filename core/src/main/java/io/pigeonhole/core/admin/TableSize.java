package io.pigeonhole.core.admin;

import org.jspecify.annotations.Nullable;

/**
 * How large a table is, about.
 *
 * @param name such as {@code inbox_ledger}
 * @param rows how many rows it has
 * @param bytes how large it is with its indexes; null where the database does not report it
 */
public record TableSize(String name, long rows, @Nullable Long bytes) {}
