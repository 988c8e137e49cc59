/**
 * Messages that are delivered later than they were published: kept in files by the time when they
 * are due, and appended to the log once more when it has come.
 *
 * <p>May import {@code common.file}, {@code core.log}, {@code core.message} and {@code common}.
 */
@NullMarked
package com.wookler.river.core.delay;

import org.jspecify.annotations.NullMarked;
