/** The store on PostgreSQL under the contracts. */
@NullMarked
package io.pigeonhole.contract;

import org.jspecify.annotations.NullMarked;
