/**
 * River's counters as Micrometer meters; the only package that sees Micrometer, which is optional.
 * Imports the root and {@code counters}.
 */
@NullMarked
package com.wookler.river.common.micrometer;

import org.jspecify.annotations.NullMarked;
