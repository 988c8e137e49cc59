/** Tests of delayed messages. */
@NullMarked
package com.wookler.river.core.delay;

import org.jspecify.annotations.NullMarked;
