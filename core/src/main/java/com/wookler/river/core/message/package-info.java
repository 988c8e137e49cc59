/**
 * What travels through a queue: the message that a publisher passes, its conversion to bytes, its
 * form on disk, and the errors of the whole module.
 *
 * <p>Allowed imports: {@code common}, {@code common.errors}, {@code common.file}, {@code
 * common.removed} and the JDK; nothing of core.
 */
@NullMarked
package com.wookler.river.core.message;

import org.jspecify.annotations.NullMarked;
