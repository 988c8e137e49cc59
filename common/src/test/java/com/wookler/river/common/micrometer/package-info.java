/** Tests of the package of the same name. */
@NullMarked
package com.wookler.river.common.micrometer;

import org.jspecify.annotations.NullMarked;
