/**
 * Results: from rows to JSON, from JSON to the tables of docs/performance-tables.md.
 *
 * <p>May import: Jackson, picocli, {@code common}'s root package, {@code utils}. It knows nothing
 * of how anything is measured.
 */
@NullMarked
package com.wookler.river.benchmarks.report;

import org.jspecify.annotations.NullMarked;
