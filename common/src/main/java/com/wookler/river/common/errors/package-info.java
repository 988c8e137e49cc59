/**
 * The base of every exception that River throws; the specific ones are in the packages that throw
 * them. Imports nothing of River.
 */
@NullMarked
package com.wookler.river.common.errors;

import org.jspecify.annotations.NullMarked;
