/**
 * What forwarding from queue to queue keeps on disk: how far a queue has forwarded, and how far a
 * queue has taken from others.
 *
 * <p>May import {@code common.errors}, the small files of {@code core.log} and {@code
 * core.message}, and nothing else of River.
 */
@NullMarked
package com.wookler.river.core.forward;

import org.jspecify.annotations.NullMarked;
