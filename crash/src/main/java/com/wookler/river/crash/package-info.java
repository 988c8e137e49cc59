/**
 * The crash kit: ends a queue's process in many ways and compares what is left with what it had
 * promised.
 *
 * <p>A {@link com.wookler.river.crash.Workload} publishes and consumes in a process of its own and
 * notes in {@link com.wookler.river.crash.Journal}s, outside the directory under test, what each
 * call promised. {@link com.wookler.river.crash.Check} compares them with the raw bytes of log and
 * backup, and with what subscribers were given.
 *
 * <p>Allowed imports: everything of core and common.
 */
@NullMarked
package com.wookler.river.crash;

import org.jspecify.annotations.NullMarked;
