/** Tests of the package of the same name. */
@NullMarked
package com.wookler.river.common.utils;

import org.jspecify.annotations.NullMarked;
