/**
 * What several examples share: input, threads, progress, and the classes that their configuration
 * names.
 *
 * <p>Allowed imports: River's libraries; nothing of the examples above.
 */
@NullMarked
package com.wookler.river.examples.utils;

import org.jspecify.annotations.NullMarked;
