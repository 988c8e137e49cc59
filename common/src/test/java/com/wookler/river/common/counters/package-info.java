/** Tests of the package of the same name. */
@NullMarked
package com.wookler.river.common.counters;

import org.jspecify.annotations.NullMarked;
