/** Tests of the index of keys. */
@NullMarked
package com.wookler.river.core.keys;

import org.jspecify.annotations.NullMarked;
