/**
 * A short way to the monitor's counters, and to whether somebody is looking. Imports the packages
 * below it: the root, {@code counters} and {@code errors}.
 */
@NullMarked
package com.wookler.river.common.utils;

import org.jspecify.annotations.NullMarked;
