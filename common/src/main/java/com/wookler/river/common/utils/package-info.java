/**
 * Makes counters and registers them with the monitor in one call. Imports the packages below it:
 * the root, {@code counters} and {@code errors}.
 */
@NullMarked
package com.wookler.river.common.utils;

import org.jspecify.annotations.NullMarked;
