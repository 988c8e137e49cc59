/** Tests of the ids. */
@NullMarked
package com.wookler.river.common.ids;

import org.jspecify.annotations.NullMarked;
