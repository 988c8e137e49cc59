/** Tests of the index of keys. */
@NullMarked
package com.wookler.river.common.keys;

import org.jspecify.annotations.NullMarked;
