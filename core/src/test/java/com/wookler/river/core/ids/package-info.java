/** Tests of the ids. */
@NullMarked
package com.wookler.river.core.ids;

import org.jspecify.annotations.NullMarked;
