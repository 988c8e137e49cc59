/**
 * A class to copy: an outbox in a Spring Boot application. May import {@code spring}, {@code jdbc}
 * and below.
 */
@NullMarked
package com.wookler.river.examples.outbox;

import org.jspecify.annotations.NullMarked;
