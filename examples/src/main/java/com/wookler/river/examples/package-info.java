/**
 * Programs that show River at work: {@link com.wookler.river.examples.Main} starts them.
 *
 * <p>Allowed imports: everything of River.
 */
@NullMarked
package com.wookler.river.examples;

import org.jspecify.annotations.NullMarked;
