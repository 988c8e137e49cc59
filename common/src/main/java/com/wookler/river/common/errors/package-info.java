/**
 * The base of every exception that River throws; the specific ones stand with the code that throws
 * them. Imports nothing of River.
 */
@NullMarked
package com.wookler.river.common.errors;

import org.jspecify.annotations.NullMarked;
