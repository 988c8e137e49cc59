/**
 * Counters whose hot path is an addition, and the reports made from their totals. Imports nothing
 * of River.
 */
@NullMarked
package com.wookler.river.common.counters;

import org.jspecify.annotations.NullMarked;
